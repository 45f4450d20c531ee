import { z } from 'zod'

/** Intervals after which the usage of a limit resets. UTC calendar; weeks start on Monday. */
export const RESET_INTERVALS = ['hourly', 'daily', 'weekly', 'monthly', 'never'] as const
export type ResetInterval = (typeof RESET_INTERVALS)[number]

/** A reset interval in a body. */
export const resetIntervalIn = z.enum(RESET_INTERVALS)

/** Returns the end of the interval that contains an instant; null for `never`. */
export function intervalEnd(interval: ResetInterval, at: Date): Date | null {
  const start = intervalStart(interval, at)
  switch (interval) {
    case 'hourly':
      return new Date(start.getTime() + HOUR_MS)
    case 'daily':
      return new Date(start.getTime() + DAY_MS)
    case 'weekly':
      return new Date(start.getTime() + DAYS_PER_WEEK * DAY_MS)
    case 'monthly':
      start.setUTCMonth(start.getUTCMonth() + 1)
      return start
    case 'never':
      return null
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS_PER_WEEK = 7
// 1 January 1970 was a Thursday, three days after Monday.
const EPOCH_DAYS_AFTER_MONDAY = 3

/**
 * Returns the start of the interval that contains an instant: UTC calendar hours, days, weeks from Monday, months.
 * Equals PostgreSQL's `date_trunc(unit, at, 'UTC')`. `never` starts at the epoch.
 *
 * Usage counts while the stored start is not before the start of the current interval; otherwise it is zero.
 *
 * @throws RangeError for an invalid date
 */
export function intervalStart(interval: ResetInterval, at: Date): Date {
  const ms = at.getTime()
  if (Number.isNaN(ms)) throw new RangeError('The date is invalid.')
  switch (interval) {
    case 'hourly':
      return new Date(Math.floor(ms / HOUR_MS) * HOUR_MS)
    case 'daily':
      return new Date(Math.floor(ms / DAY_MS) * DAY_MS)
    case 'weekly': {
      const day = Math.floor(ms / DAY_MS)
      const weeks = Math.floor((day + EPOCH_DAYS_AFTER_MONDAY) / DAYS_PER_WEEK)
      return new Date((weeks * DAYS_PER_WEEK - EPOCH_DAYS_AFTER_MONDAY) * DAY_MS)
    }
    case 'monthly': {
      const month = new Date(Math.floor(ms / DAY_MS) * DAY_MS)
      month.setUTCDate(1)
      return month
    }
    case 'never':
      return new Date(0)
  }
}
