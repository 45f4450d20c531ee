const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Periods that end now. */
export const periods = [
  { value: 'hour', label: '1 hour' },
  { value: 'day', label: '24 hours' },
  { value: 'week', label: '7 days' },
  { value: 'month', label: '30 days' },
  { value: 'quarter', label: '90 days' },
] as const
export type Period = (typeof periods)[number]['value']

/** Widths of the buckets of a series, as the gateway names them. */
export const bucketLabels = {
  minute: 'Minute',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
} as const
export type BucketName = keyof typeof bucketLabels

/** Width of a bucket, in seconds. */
export const BUCKET_SECONDS: Readonly<Record<BucketName, number>> = {
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
}

const lengths: Readonly<Record<Period, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  quarter: 90 * DAY_MS,
}
/** Buckets to choose from, the default first. */
const choices: Readonly<Record<Period, readonly BucketName[]>> = {
  hour: ['minute'],
  day: ['hour'],
  week: ['day', 'hour'],
  month: ['day', 'hour', 'week'],
  quarter: ['day', 'week'],
}

/** A period and its buckets, as search parameters. Defaults are left out. */
export type PeriodSearch = { readonly period?: Period; readonly bucket?: BucketName }

/** Parses search parameters; invalid values, and buckets that do not fit the period, are ignored. */
export function readPeriodSearch(given: Record<string, unknown>): PeriodSearch {
  const period = periods.find(({ value }) => value === given.period)?.value
  const [first, ...others] = bucketsOf(period ?? 'day')
  const bucket = others.find(each => each === given.bucket)
  return {
    ...(period !== undefined && period !== 'day' && { period }),
    ...(bucket !== undefined && bucket !== first && { bucket }),
  }
}

/** Returns the buckets of a period, the default first. */
export const bucketsOf = (period: Period): readonly BucketName[] => choices[period]

/** Returns the query of a period that ends at `now` (unix ms), cut to the minute so that it can be cached. */
export function queryOfPeriod({ period = 'day', bucket }: PeriodSearch, now: number) {
  const to = Math.floor(now / 60_000) * 60_000 + 60_000
  return {
    from: new Date(to - lengths[period]).toISOString(),
    to: new Date(to).toISOString(),
    bucket: bucket ?? choices[period][0] ?? 'hour',
  }
}
