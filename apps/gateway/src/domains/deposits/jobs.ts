import type { Deps } from '../../ports.ts'
import type { Job } from '../../runtime/jobs.ts'
import { followVault, type VaultListener } from './follow-vault.ts'
import { settleOverdueDeposits } from './settle-overdue-deposits.ts'

const OVERDUE_EVERY_MS = 60_000
/**
 * While no deposit or redemption is pending, the vault is read only every fifth interval, but at least every 10
 * seconds: well within the time after which no ticket is issued.
 */
const LOOKS_AT_REST = 5
const REST_SECONDS_MAX = 10

/**
 * Returns the jobs of the deposits domain.
 *
 * @param listener receives redeemed tickets, found by the same reads of the chain
 */
export function depositJobs(deps: Deps, listener: VaultListener): Job[] {
  const intervalSeconds = deps.config.FOLLOWER_INTERVAL_SECONDS
  const restSeconds = Math.min(LOOKS_AT_REST * intervalSeconds, REST_SECONDS_MAX)
  return [
    {
      name: 'follow-vault',
      everyMs: intervalSeconds * 1_000,
      run: signal => followVault(deps, listener, signal, { restSeconds }),
    },
    {
      name: 'settle-overdue-deposits',
      everyMs: OVERDUE_EVERY_MS,
      run: signal => settleOverdueDeposits(deps, signal),
    },
  ]
}
