import { TARGET_DAYS_KEPT } from '@farebox/wire/traffic'
import type { Deps } from '../../../ports.ts'
import { pruneTable } from '../../../sql/prune-in-steps.ts'
import { flushInParts } from '../records/flush-in-parts.ts'
import { addAttempts, deleteOldAttempts } from './target-store.ts'
import type { TargetTally } from './target-tally.ts'

const DAY_MS = 86_400_000

/** Stores the attempts counted since the last flush. */
export function flushTargets({
  db,
  targets,
}: Pick<Deps, 'db'> & { readonly targets: TargetTally }): Promise<void> {
  return flushInParts(targets, counts => addAttempts(db, counts))
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
