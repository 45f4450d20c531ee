import type { Deps } from '../../ports.ts'
import { OVERDUE_PER_RUN_MAX, settleDeposit } from './settle-deposit.ts'
import { overdueDeposits } from './store.ts'

/**
 * Settles claims older than 24 hours: credits or rejects each by what the chain then shows. An unknown transaction is
 * rejected.
 *
 * @throws GatewayError UNAVAILABLE when the chain is unreachable; the next run continues
 */
export async function settleOverdueDeposits(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  for (const deposit of await overdueDeposits(deps.db, OVERDUE_PER_RUN_MAX)) {
    if (signal.aborted) return
    await settleDeposit(deps, deposit)
  }
}
