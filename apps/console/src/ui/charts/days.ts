const DAY_MS = 86_400_000
const HALF_DAY_SECONDS = 43_200

/** Options for the span of a chart. */
export const daySpans = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
export type DaySpan = (typeof daySpans)[number]['value']

/** The total of a day in UTC (`2026-11-21`). */
export type DayAmount = { readonly day: string; readonly usdc: string }

/** Returns the first of the `count` days that end with the day of `now` (unix ms). */
export function firstOf(count: number, now: number): string {
  return dayOf(startOf(now) - (count - 1) * DAY_MS)
}

/**
 * Fills in the days without amounts, for a chart of the `count` days that end with the day of `now` (unix ms).
 *
 * @returns their noons in Unix seconds, and their values in USDC
 */
export function fillDays(
  amounts: readonly DayAmount[],
  count: number,
  now: number,
): { readonly times: readonly number[]; readonly values: readonly number[] } {
  const known = new Map(amounts.map(({ day, usdc }) => [day, Number(usdc)]))
  const days = Array.from({ length: count }, (_, index) => firstOf(count - index, now))
  return { times: days.map(noonOf), values: days.map(day => known.get(day) ?? 0) }
}

/** Returns the noon of a UTC day (`2026-11-21`) in Unix seconds: the middle of its bar in a chart. */
export function noonOf(day: string): number {
  return Date.parse(day) / 1_000 + HALF_DAY_SECONDS
}

const startOf = (now: number) => Math.floor(now / DAY_MS) * DAY_MS
const dayOf = (start: number) => new Date(start).toISOString().slice(0, 10)
