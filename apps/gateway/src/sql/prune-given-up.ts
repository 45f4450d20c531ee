import { deleteGivenUp } from '../adapters/job-queue.ts'
import type { Deps } from '../ports.ts'
import { pruneTable } from './prune-in-steps.ts'

/** Retention of queued jobs that were given up, in ms: 30 days. */
const GIVEN_UP_KEPT_MS = 30 * 86_400_000

/** Job: deletes queued jobs that were given up long ago. Returns how many. */
export function pruneGivenUp(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics'>,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(deps.clock.now() - GIVEN_UP_KEPT_MS)
  return pruneTable(deps, { table: 'jobs' }, signal, limit => deleteGivenUp(deps.db, { before, limit }))
}
