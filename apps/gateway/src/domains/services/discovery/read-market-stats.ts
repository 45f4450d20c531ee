import type { MarketStats } from '@farebox/wire/market'
import type { Deps } from '../../../ports.ts'
import { cached } from '../../../runtime/cached.ts'
import { readTotals } from './market-store.ts'

/** TTL of the statistics, in ms: the front page requests them. */
const FRESH_MS = 5_000
const MS_PER_SECOND = 1_000
/** The histogram has steps: more digits would be meaningless. */
const OVERHEAD_DIGITS = 2

/** Reads the statistics of {@link createMarketStats}. */
export type ReadMarketStats = () => Promise<MarketStats>

/**
 * Statistics of the whole market, cached for some seconds; concurrent requests share a read.
 *
 * @param medianOverhead median time added to a paid call, in seconds; null before the first
 */
export function createMarketStats(
  deps: Pick<Deps, 'db' | 'clock'>,
  medianOverhead: () => Promise<number | null>,
): ReadMarketStats {
  return cached(deps.clock, FRESH_MS, async () => {
    const [{ services, calls }, seconds] = await Promise.all([readTotals(deps.db), medianOverhead()])
    const medianOverheadMs =
      seconds === null ? null : Number((seconds * MS_PER_SECOND).toFixed(OVERHEAD_DIGITS))
    const asOf = new Date(deps.clock.now()).toISOString()
    return { status: 'success', asOf, services, callsLast7Days: calls, medianOverheadMs }
  })
}
