import type { Deps } from '../../ports.ts'
import { RATED_DAYS, ratingOf } from './rating-rules.ts'
import { deleteOldCalls, lockRatedServices, readDaysOfCalls, writeRatings } from './rating-store.ts'

/** Services of one transaction. */
const SERVICES_AT_ONCE = 500

/** Rates every service anew as days pass: old calls weigh less, and those of more than a week ago are dropped. */
export async function refreshRatings(deps: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  await deleteOldCalls(deps.db, RATED_DAYS)
  let after: string | null = ''
  while (after !== null && !signal.aborted) after = await refreshAfter(deps, after)
}

/** @returns the last id; null when there are no more */
function refreshAfter(deps: Pick<Deps, 'db'>, after: string): Promise<string | null> {
  return deps.db.transaction(async tx => {
    const ids = await lockRatedServices(tx, { after, limit: SERVICES_AT_ONCE })
    const days = await readDaysOfCalls(tx, ids)
    await writeRatings(
      tx,
      ids.map(serviceId => ({ serviceId, ...ratingOf(days.get(serviceId) ?? []) })),
    )
    return ids.at(-1) ?? null
  })
}
