import { SERVICE_DAYS_SHOWN } from '@farebox/wire/market'
import type { Deps } from '../../../ports.ts'
import { rateServices } from './rate-services.ts'
import { deleteOldCalls, lockRatedServices } from './rating-store.ts'

/** Services per transaction. */
const SERVICES_AT_ONCE = 500

/** Updates every rating daily: old calls weigh less, and those no longer shown are deleted. */
export async function refreshRatings(deps: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  await deleteOldCalls(deps.db, SERVICE_DAYS_SHOWN)
  let after: string | null = ''
  while (after !== null && !signal.aborted) after = await refreshAfter(deps, after)
}

/** Updates the ratings of the services that follow an id. Returns the last of their ids, or null at the end. */
function refreshAfter(deps: Pick<Deps, 'db'>, after: string): Promise<string | null> {
  return deps.db.transaction(async tx => {
    const ids = await lockRatedServices(tx, { after, limit: SERVICES_AT_ONCE })
    await rateServices(tx, ids)
    return ids.at(-1) ?? null
  })
}
