import type { Job } from '../../jobs.ts'
import type { Deps } from '../../ports.ts'
import { followVault, type VaultListener } from './follow-vault.ts'
import { settleOverdueDeposits } from './settle-overdue-deposits.ts'

const OVERDUE_EVERY_MS = 60_000
/**
 * While nobody waits for a deposit or a redemption, the vault is read at every so many of the looks, and at least this
 * often, in seconds: well within the time after which no ticket is issued.
 */
const LOOKS_AT_REST = 5
const REST_SECONDS_MAX = 10

/**
 * What the deposits domain does by itself.
 *
 * @param listener told of redeemed tickets, which the same reading of the chain brings to light
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
