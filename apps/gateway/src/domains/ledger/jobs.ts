import type { Deps } from '../../ports.ts'
import type { Job } from '../../runtime/jobs.ts'
import { proveLiabilities } from './proof/prove-liabilities.ts'
import { sealEntries } from './proof/seal-entries.ts'

/** How long an entry waits for its seal, about, in ms. */
const SEAL_INTERVAL_MS = 10_000
/** Most of the time that sealing, and the tree, may take: with many millions of wallets the tree comes less often. */
const SHARE_MAX = 0.1

/** The repeating work of proof. */
export function proofJobs(deps: Deps): Job[] {
  const everySeconds = deps.config.RECONCILE_INTERVAL_SECONDS
  return [
    {
      name: 'seal-entries',
      everyMs: SEAL_INTERVAL_MS,
      shareMax: SHARE_MAX,
      run: signal => sealEntries(deps, signal),
    },
    {
      name: 'prove-liabilities',
      everyMs: everySeconds * 1_000,
      shareMax: SHARE_MAX,
      run: () => proveLiabilities(deps, { everySeconds }),
    },
  ]
}
