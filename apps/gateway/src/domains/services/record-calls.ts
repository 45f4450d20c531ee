import type { Deps } from '../../ports.ts'
import { ratingOf } from './rating-rules.ts'
import { addCalls, readDaysOfCalls, writeRatings } from './rating-store.ts'

/** Most services of one transaction. */
const SERVICES_AT_ONCE_MAX = 1_000

/** Calls of one service that said something of its provider. */
export type CallsOfService = {
  readonly serviceId: string
  /** Answered as they should be. */
  readonly good: number
  /** Failed by the provider. */
  readonly bad: number
  /** Time of the good ones together, in ms. */
  readonly latencyMs: number
}

/**
 * Adds paid calls to what services are rated by, and rates these services anew.
 *
 * @param calls each service once
 */
export async function recordCalls(deps: Pick<Deps, 'db'>, calls: readonly CallsOfService[]): Promise<void> {
  // In one order everywhere, so that two gateways wait for, and not on, each other.
  const sorted = [...calls].sort((a, b) => (a.serviceId < b.serviceId ? -1 : 1))
  for (let first = 0; first < sorted.length; first += SERVICES_AT_ONCE_MAX) {
    const some = sorted.slice(first, first + SERVICES_AT_ONCE_MAX)
    await deps.db.transaction(async tx => {
      await addCalls(tx, some)
      const days = await readDaysOfCalls(
        tx,
        some.map(({ serviceId }) => serviceId),
      )
      await writeRatings(
        tx,
        some.map(({ serviceId }) => ({ serviceId, ...ratingOf(days.get(serviceId) ?? []) })),
      )
    })
  }
}
