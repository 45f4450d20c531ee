import type { Deps } from '../../ports.ts'
import type { Job } from '../../runtime/jobs.ts'
import { proveLiabilities } from './proof/prove-liabilities.ts'
import { sealEntries } from './proof/seal-entries.ts'

/** Approximate time until an entry is sealed, in ms. */
const SEAL_INTERVAL_MS = 10_000
/** Maximum share of time spent on seals and trees: with many millions of wallets, trees are made less often. */
const SHARE_MAX = 0.1

/** Returns the periodic jobs of seals and proofs. */
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
