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
 * @returns their noons in Unix seconds, which are the same day in every time zone, and their values in USDC
 */
export function fillDays(
  amounts: readonly DayAmount[],
  count: number,
  now: number,
): { readonly times: readonly number[]; readonly values: readonly number[] } {
  const known = new Map(amounts.map(({ day, usdc }) => [day, Number(usdc)]))
  const starts = Array.from({ length: count }, (_, index) => startOf(now) - (count - 1 - index) * DAY_MS)
  return {
    times: starts.map(start => start / 1_000 + HALF_DAY_SECONDS),
    values: starts.map(start => known.get(dayOf(start)) ?? 0),
  }
}

const startOf = (now: number) => Math.floor(now / DAY_MS) * DAY_MS
const dayOf = (start: number) => new Date(start).toISOString().slice(0, 10)
