import type { Deps } from '../../ports.ts'
import type { Job } from '../../runtime/jobs.ts'
import { expireStale } from './expire-stale.ts'
import { watchSigner } from './watch-signer.ts'

const EXPIRE_EVERY_MS = 15_000
const EXPIRE_PER_RUN_MAX = 200
const WATCH_SIGNER_EVERY_MS = 15_000

/** Returns the jobs of the withdrawals domain. The follower of the vault also reports redemptions to it. */
export function withdrawalJobs(deps: Deps): Job[] {
  return [
    {
      name: 'expire-stale-withdrawals',
      everyMs: EXPIRE_EVERY_MS,
      run: () => expireStale(deps, { limit: EXPIRE_PER_RUN_MAX }),
    },
    { name: 'watch-ticket-signer', everyMs: WATCH_SIGNER_EVERY_MS, run: () => watchSigner(deps) },
  ]
}
