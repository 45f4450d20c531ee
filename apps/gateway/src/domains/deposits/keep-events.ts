import type { Tx } from '../../ports.ts'
import { resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { type DepositedEvent, recordEvents, type VaultPlace } from './store.ts'

/** Records confirmed vault events, and closes the findings of credited deposits that are on the chain again. */
export async function keepEvents(
  tx: Tx,
  place: VaultPlace,
  events: readonly DepositedEvent[],
): Promise<void> {
  for (const { txHash, logIndex } of await recordEvents(tx, place, events)) {
    const subject = `${txHash}:${logIndex}`
    await resolveChainFinding(tx, { kind: 'deposit-reorganised', subject, resolution: 'gone' })
  }
}
