import { lastDays } from '@farebox/wire/buckets'
import type { MarketDay } from '@farebox/wire/market'
import { type DayOfCalls, roundThroughput, throughputOf } from './rating-rules.ts'

const NO_CALLS = { good: 0, bad: 0, latencyMs: 0, outputTokens: 0, outputMs: 0 }

/**
 * Returns the last days of a service, oldest first, including those without calls.
 *
 * @param calls   days with calls
 * @param now     Unix ms; its UTC day is the last one
 * @param howMany number of days
 */
export function daysOf(calls: readonly DayOfCalls[], now: number, howMany: number): MarketDay[] {
  return lastDays(now, howMany).map(({ age, date }) => {
    const day = calls.find(each => each.age === age) ?? NO_CALLS
    const { good, bad, latencyMs } = day
    return {
      date,
      calls: good + bad,
      failed: bad,
      latencyMs: good === 0 ? null : Math.round(latencyMs / good),
      tokensPerSecond: roundThroughput(throughputOf(day)),
    }
  })
}
