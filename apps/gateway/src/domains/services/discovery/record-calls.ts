import type { Deps } from '../../../ports.ts'
import { rateServices } from './rate-services.ts'
import { addCalls, type CallsOfService, readFunded, readPricesInForce } from './rating-store.ts'

/** Most counts of one transaction. */
const COUNTS_AT_ONCE_MAX = 1_000

/** By whom and at which price calls were made, in micro-USDC. */
export type RatedAs = {
  /** The wallet that pays, in lower case. */
  readonly owner: string
  /** Of a call, or of a million input tokens. */
  readonly price: bigint
  /** Of a million output tokens; 0 for a fixed price. */
  readonly outputPrice: bigint
}

/** Calls of one service that said something of its provider. */
export type CountedCalls = {
  readonly serviceId: string
  /** Null: calls that the service is not rated by. */
  readonly ratedAs: RatedAs | null
  /** Answered as they should be. */
  readonly good: number
  /** Failed by the provider. */
  readonly bad: number
  /** Time of the good ones together, in ms. */
  readonly latencyMs: number
  /** Output of the good ones together; 0 for calls that are not metered. */
  readonly outputTokens: number
}

/**
 * Adds paid calls to what services are shown and rated by, and rates these services anew. A service is rated by calls
 * of wallets that have deposited money, at its price in force or above: those that are free, paid with vouchers alone, or
 * were cheaper say nothing of what a caller gets for the price.
 */
export async function recordCalls(deps: Pick<Deps, 'db'>, calls: readonly CountedCalls[]): Promise<void> {
  // In one order everywhere, so that two gateways wait for, and not on, each other.
  const sorted = [...calls].sort((a, b) => (a.serviceId < b.serviceId ? -1 : 1))
  for (let first = 0; first < sorted.length; first += COUNTS_AT_ONCE_MAX) {
    const some = sorted.slice(first, first + COUNTS_AT_ONCE_MAX)
    const byService = Map.groupBy(some, ({ serviceId }) => serviceId)
    const ids = [...byService.keys()]
    const owners = [...new Set(some.flatMap(({ ratedAs }) => (ratedAs === null ? [] : [ratedAs.owner])))]
    await deps.db.transaction(async tx => {
      const [prices, funded] = await Promise.all([readPricesInForce(tx, ids), readFunded(tx, owners)])
      const isRated = ({ serviceId, ratedAs }: CountedCalls) => {
        const inForce = prices.get(serviceId)
        if (inForce === undefined || ratedAs === null || !funded.has(ratedAs.owner)) return false
        return ratedAs.price >= inForce.price && ratedAs.outputPrice >= inForce.outputPrice
      }
      const added = [...byService].map(([serviceId, all]) => {
        const { price = 0n, outputPrice = 0n } = prices.get(serviceId) ?? {}
        return { serviceId, ...sumOf(all), rated: { ...sumOf(all.filter(isRated)), price, outputPrice } }
      })
      await addCalls(tx, added)
      await rateServices(tx, ids)
    })
  }
}

type Sum = Omit<CallsOfService['rated'], 'price' | 'outputPrice'>

function sumOf(calls: readonly CountedCalls[]): Sum {
  return calls.reduce<Sum>(
    (sum, { good, bad, latencyMs, outputTokens }) => ({
      good: sum.good + good,
      bad: sum.bad + bad,
      latencyMs: sum.latencyMs + latencyMs,
      outputTokens: sum.outputTokens + outputTokens,
    }),
    { good: 0, bad: 0, latencyMs: 0, outputTokens: 0 },
  )
}
