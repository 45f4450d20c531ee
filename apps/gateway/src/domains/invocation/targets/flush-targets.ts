import { TARGET_DAYS_KEPT } from '@farebox/wire/traffic'
import type { Deps } from '../../../ports.ts'
import { pruneTable } from '../../../sql/prune-in-steps.ts'
import { addAttempts, deleteOldAttempts } from './target-store.ts'
import type { TargetTally } from './target-tally.ts'

const DAY_MS = 86_400_000
/** Maximum counts per statement. */
const COUNTS_AT_ONCE_MAX = 1_000

/** Stores the attempts counted since the last flush; after a failure the rest is kept for the next. */
export async function flushTargets({
  db,
  targets,
}: Pick<Deps, 'db'> & { readonly targets: TargetTally }): Promise<void> {
  const taken = targets.take()
  for (let first = 0; first < taken.length; first += COUNTS_AT_ONCE_MAX) {
    try {
      await addAttempts(db, taken.slice(first, first + COUNTS_AT_ONCE_MAX))
    } catch (error) {
      targets.putBack(taken.slice(first))
      throw error
    }
  }
}

/** Job: deletes old counts of attempts in steps. */
export async function pruneTargets(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics'>,
  signal: AbortSignal,
): Promise<void> {
  const before = new Date(deps.clock.now() - TARGET_DAYS_KEPT * DAY_MS)
  await pruneTable(deps, { table: 'target_calls' }, signal, limit =>
    deleteOldAttempts(deps.db, { before, limit }),
  )
}
