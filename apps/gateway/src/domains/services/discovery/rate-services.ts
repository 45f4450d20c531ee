import type { Tx } from '../../../ports.ts'
import { ratingOf } from './rating-rules.ts'
import { readDaysRatedBy, writeRatings } from './rating-store.ts'

/**
 * Updates the ratings of services.
 *
 * @param ids in the global lock order of ratings
 */
export async function rateServices(tx: Tx, ids: readonly string[]): Promise<void> {
  const days = await readDaysRatedBy(tx, ids)
  await writeRatings(
    tx,
    ids.map(serviceId => ({ serviceId, ...ratingOf(days.get(serviceId) ?? []) })),
  )
}
