import type { Deps, Tx } from '../../ports.ts'
import { resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { raiseGone } from './raise-reorganised.ts'
import { markReplaced } from './reorganised-store.ts'
import { type DepositedEvent, lockRecording, recordEvents } from './store.ts'

/**
 * Records vault events: raises findings for credited deposits that they replace, and closes those of credited deposits
 * that are on the chain again.
 */
export async function keepEvents(
  deps: Pick<Deps, 'chain' | 'log'>,
  tx: Tx,
  events: readonly DepositedEvent[],
): Promise<void> {
  if (events.length === 0) return
  const { facts } = deps.chain
  await lockRecording(tx)
  await raiseGone(deps, tx, await markReplaced(tx, facts, events))
  for (const { txHash, logIndex } of await recordEvents(tx, facts, events)) {
    const subject = `${txHash}:${logIndex}`
    await resolveChainFinding(tx, { kind: 'deposit-reorganised', subject, resolution: 'gone' })
  }
}
