import type { DepositedEvent, Deps, Tx, VaultEvent } from '../../ports.ts'
import { resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { raiseGone } from './raise-reorganised.ts'
import { markReplaced } from './reorganised-store.ts'
import { findingSubject, isBookable } from './rules.ts'
import { lockRecording, recordEvents } from './store.ts'

/** Returns the deposits among the events of the vault whose amounts fit the books. */
export const bookableDeposits = (events: readonly VaultEvent[]): DepositedEvent[] =>
  events.filter(event => event.kind === 'deposited').filter(({ amount }) => isBookable(amount))

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
  for (const event of await recordEvents(tx, facts, events)) {
    const subject = findingSubject(event)
    await resolveChainFinding(tx, { kind: 'deposit-reorganised', subject, resolution: 'gone' })
  }
}
