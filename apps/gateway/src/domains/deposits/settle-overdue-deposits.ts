import type { Deps } from '../../ports.ts'
import { OVERDUE_PER_RUN_MAX, settleDeposit } from './settle-deposit.ts'
import { overdueDeposits } from './store.ts'

/**
 * Ends claims that nobody asks about any more: after 24 hours each is credited or rejected by what the chain shows
 * then, a transaction that it does not know included.
 *
 * @throws GatewayError UNAVAILABLE when the chain is out of reach; the next run goes on
 */
export async function settleOverdueDeposits(
  deps: Pick<Deps, 'db' | 'chain' | 'ids'>,
  signal: AbortSignal,
): Promise<void> {
  for (const deposit of await overdueDeposits(deps.db, OVERDUE_PER_RUN_MAX)) {
    if (signal.aborted) return
    await settleDeposit(deps, deposit)
  }
}
