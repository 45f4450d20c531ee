import type { Tx } from '../../../ports.ts'
import { ratingOf } from './rating-rules.ts'
import { readDaysRatedBy, writeRatings } from './rating-store.ts'

/**
 * Rates services anew by what is known of them now.
 *
 * @param ids in the order of which ratings are locked everywhere
 */
export async function rateServices(tx: Tx, ids: readonly string[]): Promise<void> {
  const days = await readDaysRatedBy(tx, ids)
  await writeRatings(
    tx,
    ids.map(serviceId => ({ serviceId, ...ratingOf(days.get(serviceId) ?? []) })),
  )
}
