import type { MarketDay } from '@farebox/wire/market'
import type { DayOfCalls } from './rating-rules.ts'

const DAY_MS = 86_400_000

/**
 * Returns the last days of a service, oldest first, including those without calls.
 *
 * @param calls   days with calls
 * @param now     Unix ms; its UTC day is the last one
 * @param howMany number of days
 */
export function daysOf(calls: readonly DayOfCalls[], now: number, howMany: number): MarketDay[] {
  return Array.from({ length: howMany }, (_, index) => {
    const age = howMany - 1 - index
    const { good, bad, latencyMs } = calls.find(day => day.age === age) ?? { good: 0, bad: 0, latencyMs: 0 }
    return {
      date: new Date(now - age * DAY_MS).toISOString().slice(0, 10),
      calls: good + bad,
      failed: bad,
      latencyMs: good === 0 ? null : Math.round(latencyMs / good),
    }
  })
}
