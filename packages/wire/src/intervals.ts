import { z } from 'zod'

/** After how long what is drawn of a limit counts as nothing again. UTC calendar; weeks from Monday. */
export const RESET_INTERVALS = ['hourly', 'daily', 'weekly', 'monthly', 'never'] as const
/** One of {@link RESET_INTERVALS}. */
export type ResetInterval = (typeof RESET_INTERVALS)[number]

/** A reset interval as asked for. */
export const resetIntervalIn = z.enum(RESET_INTERVALS)

/** When the interval that holds an instant ends: its next start. Null: never. */
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
// 1 January 1970 was a Thursday: three days after the Monday that its week began with.
const EPOCH_DAYS_AFTER_MONDAY = 3

/**
 * When the interval that holds an instant began: UTC calendar hours, days, weeks from Monday, months. Agrees with
 * PostgreSQL's `date_trunc(unit, at, 'UTC')`. `never` began at the epoch.
 *
 * What is drawn counts while the stored start is not before the start of now's interval; else it counts as zero.
 */
export function intervalStart(interval: ResetInterval, at: Date): Date {
  const ms = at.getTime()
  if (Number.isNaN(ms)) throw new RangeError('Not an instant.')
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
