import type { Deps } from '../../ports.ts'
import { deleteProbes } from './store.ts'

/** How long probes are kept that are landmarks (see the migration), in ms: seven days. */
const LANDMARKS_KEPT_MS = 7 * 86_400_000
/** How long the others are, in ms: an hour. */
const PASSING_KEPT_MS = 3_600_000
/** Probes deleted by one statement, and statements of one run: no long locks, and an end. */
const DELETED_AT_ONCE_MAX = 5_000
const STEPS_MAX = 200

/** Deletes probes that are older than they are kept. Returns how many. */
export async function pruneHistory(deps: Pick<Deps, 'db' | 'clock'>, signal: AbortSignal): Promise<number> {
  const now = deps.clock.now()
  const passing = await prune(deps, { before: new Date(now - PASSING_KEPT_MS), landmarks: false }, signal)
  const landmarks = await prune(deps, { before: new Date(now - LANDMARKS_KEPT_MS), landmarks: true }, signal)
  return passing + landmarks
}

async function prune(
  deps: Pick<Deps, 'db'>,
  which: { before: Date; landmarks: boolean },
  signal: AbortSignal,
): Promise<number> {
  let total = 0
  for (let step = 0; step < STEPS_MAX && !signal.aborted; step += 1) {
    const deleted = await deleteProbes(deps.db, { ...which, limit: DELETED_AT_ONCE_MAX })
    total += deleted
    if (deleted < DELETED_AT_ONCE_MAX) break
  }
  return total
}
