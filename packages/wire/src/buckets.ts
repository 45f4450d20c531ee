const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** 5 January 1970 was the first Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** Widths of the buckets of a series, narrowest first. UTC; weeks start on Monday. */
export const BUCKETS = ['minute', 'hour', 'day', 'week'] as const
export type Bucket = (typeof BUCKETS)[number]

/** Maximum number of buckets of a series: the hours of a month. */
export const BUCKETS_MAX = 750

/** Width of each bucket, in ms. */
export const BUCKET_MS: Readonly<Record<Bucket, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
}

/** Returns the start of the bucket that contains an instant, in Unix ms; equals PostgreSQL's `date_trunc(bucket, at, 'UTC')`. */
export function bucketStart(bucket: Bucket, at: number): number {
  const first = bucket === 'week' ? FIRST_MONDAY_MS : 0
  return Math.floor((at - first) / BUCKET_MS[bucket]) * BUCKET_MS[bucket] + first
}

/**
 * Returns the starts of the buckets of a period, oldest first, in Unix ms: from the one that contains `from` to the one
 * that contains the last ms before `to`.
 */
export function bucketStarts(bucket: Bucket, period: { from: number; to: number }): number[] {
  const first = bucketStart(bucket, period.from)
  const count = Math.max(0, Math.ceil((period.to - first) / BUCKET_MS[bucket]))
  return Array.from({ length: count }, (_, index) => first + index * BUCKET_MS[bucket])
}

/** Returns the last UTC days up to an instant, oldest first. `age` is in days: 0 is the day of `now`, in Unix ms. */
export function lastDays(now: number, count: number): { age: number; date: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const age = count - 1 - index
    return { age, date: new Date(now - age * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length) }
  })
}
