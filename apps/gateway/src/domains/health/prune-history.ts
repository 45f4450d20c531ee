import type { Deps } from '../../ports.ts'
import { deleteProbes } from './store.ts'

/** How long probes are kept, in ms: seven days. */
const KEPT_MS = 7 * 86_400_000
/** Probes deleted by one statement, and statements of one run: no long locks, and an end. */
const DELETED_AT_ONCE_MAX = 5_000
const STEPS_MAX = 100

/** Deletes probes that are older than seven days. Returns how many. */
export async function pruneHistory(deps: Pick<Deps, 'db' | 'clock'>, signal: AbortSignal): Promise<number> {
  const before = new Date(deps.clock.now() - KEPT_MS)
  let total = 0
  for (let step = 0; step < STEPS_MAX && !signal.aborted; step += 1) {
    const deleted = await deleteProbes(deps.db, { before, limit: DELETED_AT_ONCE_MAX })
    total += deleted
    if (deleted < DELETED_AT_ONCE_MAX) break
  }
  return total
}
