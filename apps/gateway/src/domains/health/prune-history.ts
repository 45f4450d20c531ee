import type { Deps } from '../../ports.ts'
import { pruneInSteps } from '../../prune-in-steps.ts'
import { deleteProbes } from './store.ts'

/** How long probes are kept that are landmarks (see the migration), in ms: seven days. */
const LANDMARKS_KEPT_MS = 7 * 86_400_000
/** How long the others are, in ms: an hour. */
const PASSING_KEPT_MS = 3_600_000

type PruneDeps = Pick<Deps, 'db' | 'clock' | 'metrics'>

/** Deletes probes that are older than they are kept. Returns how many. */
export async function pruneHistory(deps: PruneDeps, signal: AbortSignal): Promise<number> {
  const now = deps.clock.now()
  const passing = await prune(deps, { before: new Date(now - PASSING_KEPT_MS), landmarks: false }, signal)
  const landmarks = await prune(deps, { before: new Date(now - LANDMARKS_KEPT_MS), landmarks: true }, signal)
  return passing + landmarks
}

function prune(
  { db, clock, metrics }: PruneDeps,
  which: { before: Date; landmarks: boolean },
  signal: AbortSignal,
): Promise<number> {
  return pruneInSteps(clock, signal, async limit => {
    const rows = await deleteProbes(db, { ...which, limit })
    metrics.count('farebox_pruned_rows_total', { table: 'health_probes' }, rows)
    return { rows, isLast: rows < limit }
  })
}
