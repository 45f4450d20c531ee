import type { Deps } from '../../../ports.ts'
import { rateServices } from './rate-services.ts'
import { RATED_DAYS } from './rating-rules.ts'
import { deleteOldCalls, lockRatedServices } from './rating-store.ts'

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
    await rateServices(tx, ids)
    return ids.at(-1) ?? null
  })
}
