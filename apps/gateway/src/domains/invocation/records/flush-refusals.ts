import { SPENDING_DAYS_MAX } from '@farebox/wire/usage'
import type { Deps } from '../../../ports.ts'
import { pruneTable } from '../../../sql/prune-in-steps.ts'
import { addRefusals, deleteOldRefusals } from './refusal-store.ts'
import type { RefusalTally } from './refusal-tally.ts'

const DAY_MS = 86_400_000
/** Days for which counts are kept: the longest period of a summary and the one before it. */
const KEPT_DAYS = 2 * SPENDING_DAYS_MAX
/** Maximum counts per statement. */
const COUNTS_AT_ONCE_MAX = 1_000

/** Stores the refusals counted since the last flush; after a failure the rest is kept for the next. */
export async function flushRefusals({
  db,
  refusals,
}: Pick<Deps, 'db'> & { readonly refusals: RefusalTally }): Promise<void> {
  const taken = refusals.take()
  for (let first = 0; first < taken.length; first += COUNTS_AT_ONCE_MAX) {
    try {
      await addRefusals(db, taken.slice(first, first + COUNTS_AT_ONCE_MAX))
    } catch (error) {
      refusals.putBack(taken.slice(first))
      throw error
    }
  }
}

/** Job: deletes old counts of refusals in steps. */
export async function pruneRefusals(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics'>,
  signal: AbortSignal,
): Promise<void> {
  const before = new Date(deps.clock.now() - KEPT_DAYS * DAY_MS)
  await pruneTable(deps, { table: 'call_refusals' }, signal, limit =>
    deleteOldRefusals(deps.db, { before, limit }),
  )
}
