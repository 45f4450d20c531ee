import { SPENDING_DAYS_MAX } from '@farebox/wire/usage'
import type { Deps } from '../../../ports.ts'
import { pruneTable } from '../../../sql/prune-in-steps.ts'
import { flushInParts } from './flush-in-parts.ts'
import { addRefusals, deleteOldRefusals } from './refusal-store.ts'
import type { RefusalTally } from './refusal-tally.ts'

const DAY_MS = 86_400_000
/** Days for which counts are kept: the longest period of a summary and the one before it. */
const KEPT_DAYS = 2 * SPENDING_DAYS_MAX

/** Stores the refusals counted since the last flush. */
export function flushRefusals({
  db,
  refusals,
}: Pick<Deps, 'db'> & { readonly refusals: RefusalTally }): Promise<void> {
  return flushInParts(refusals, counts => addRefusals(db, counts))
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
