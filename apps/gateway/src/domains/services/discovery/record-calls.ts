import type { Deps } from '../../../ports.ts'
import { rateServices } from './rate-services.ts'
import { addCalls, type CallsOfService, readFunded, readPricesInForce } from './rating-store.ts'

/** Maximum counts per transaction. */
const COUNTS_AT_ONCE_MAX = 1_000

/** Payer and prices of calls, in micro-USDC. */
export type RatedAs = {
  /** Wallet that pays, in lower case. */
  readonly owner: string
  /** Per call, or per million input tokens. */
  readonly price: bigint
  /** Per million output tokens; 0 for a fixed price. */
  readonly outputPrice: bigint
}

/** Calls of one service with a verdict on its provider. */
export type CountedCalls = {
  readonly serviceId: string
  /** Null: calls that do not rate the service. */
  readonly ratedAs: RatedAs | null
  /** Successful calls. */
  readonly good: number
  /** Calls failed by the provider. */
  readonly bad: number
  /** Total time of the successful ones, in ms. */
  readonly latencyMs: number
  /** Total output of the successful ones; 0 for calls that are not metered. */
  readonly outputTokens: number
}

/**
 * Adds paid calls to the statistics of services and updates their ratings. Calls rate a service if their wallet has
 * deposited and they were made at the effective price or above: free or cheaper calls, or those paid by vouchers alone,
 * say nothing about value for money.
 */
export async function recordCalls(deps: Pick<Deps, 'db'>, calls: readonly CountedCalls[]): Promise<void> {
  // A global order, so that gateways do not deadlock.
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
