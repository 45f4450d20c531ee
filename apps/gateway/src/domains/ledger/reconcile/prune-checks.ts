import type { Deps } from '../../../ports.ts'
import { pruneTable } from '../../../sql/prune-in-steps.ts'
import { deleteCleanChecks } from './reconcile-store.ts'

/** Retention of clean checks, in ms: 90 days. Checks with findings stay. */
const CLEAN_KEPT_MS = 90 * 86_400_000

/** Job: deletes old clean checks. Returns how many. */
export function pruneChecks(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics'>,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(deps.clock.now() - CLEAN_KEPT_MS)
  return pruneTable(deps, { table: 'reconciliations' }, signal, limit =>
    deleteCleanChecks(deps.db, { before, limit }),
  )
}
