const DAY_MS = 86_400_000
const HALF_DAY_SECONDS = 43_200

/** Spans of days that are looked at, each as a choice. */
export const daySpans = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
export type DaySpan = (typeof daySpans)[number]['value']

/** What came together on a day of UTC (`2026-11-21`). */
export type DayAmount = { readonly day: string; readonly usdc: string }

/** The first of so many days that end with that of `now` (unix ms). */
export function firstOf(count: number, now: number): string {
  return dayOf(startOf(now) - (count - 1) * DAY_MS)
}

/**
 * So many days that end with that of `now` (unix ms), as a chart takes them: also those on which nothing was.
 *
 * @returns their noons in Unix seconds, each the same day wherever it is looked at, and their values in USDC
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
