import type { Log } from '../../ports.ts'
import { type Job, pruneJob } from '../../runtime/jobs.ts'
import { probeDue } from './probe-due.ts'
import type { ProbeDeps } from './probe-service.ts'
import { pruneHistory } from './prune-history.ts'

/** Number of searches for due targets per probe interval, and their maximum interval, in ms. */
const LOOKS_PER_INTERVAL = 10
const LOOK_EVERY_MS_MAX = 3_000

/** Returns the jobs of the health domain: scheduled probes and pruning. */
export function healthJobs(deps: ProbeDeps & { readonly log: Log }): Job[] {
  const intervalMs = deps.config.PROBE_INTERVAL_SECONDS * 1_000
  const everyMs = Math.min(LOOK_EVERY_MS_MAX, intervalMs / LOOKS_PER_INTERVAL)
  return [
    { name: 'probe-targets', everyMs, run: signal => probeDue(deps, signal) },
    pruneJob('prune-health-history', signal => pruneHistory(deps, signal)),
  ]
}
