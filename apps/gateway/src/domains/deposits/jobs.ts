import type { Job } from '../../jobs.ts'
import type { Deps } from '../../ports.ts'
import { followVault, type VaultListener } from './follow-vault.ts'
import { settleOverdueDeposits } from './settle-overdue-deposits.ts'

const OVERDUE_EVERY_MS = 60_000

/**
 * What the deposits domain does by itself.
 *
 * @param listener told of redeemed tickets, which the same reading of the chain brings to light
 */
export function depositJobs(deps: Deps, listener: VaultListener): Job[] {
  return [
    {
      name: 'follow-vault',
      everyMs: deps.config.FOLLOWER_INTERVAL_SECONDS * 1_000,
      run: signal => followVault(deps, listener, signal),
    },
    {
      name: 'settle-overdue-deposits',
      everyMs: OVERDUE_EVERY_MS,
      run: signal => settleOverdueDeposits(deps, signal),
    },
  ]
}
