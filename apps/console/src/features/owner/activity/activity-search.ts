import type { AnswerOf, InputOf } from '@farebox/client'

export type Activity = AnswerOf<'readSpending'>
type Query = NonNullable<InputOf<'readSpending'>['query']>
export type Bucket = NonNullable<Query['bucket']>

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
const WIDTH_MS: Readonly<Record<Bucket, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }
/** Longest period in hours, and longest of all: bounds of the gateway. */
const HOURS_MS_MAX = 8 * DAY_MS
const PERIOD_MS_MAX = 92 * DAY_MS
/** Periods up to this length are shown in hours. */
export const SHORT_MS = 2 * DAY_MS

export const ranges = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: 'own', label: 'From … to …' },
] as const
export const groupings = [
  { value: 'service', label: 'Service' },
  { value: 'credential', label: 'Credential' },
  { value: 'model', label: 'Model' },
] as const
export const measures = [
  { value: 'spend', label: 'Spend' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
] as const
export const buckets = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
] as const

export type Range = (typeof ranges)[number]['value']
export type Grouping = (typeof groupings)[number]['value']
export type Measure = (typeof measures)[number]['value']

/** Search parameters of the page; absent: the default. `from` and `to` (`2026-11-21T14:00Z`) are of the own range. */
export type ActivitySearch = {
  readonly range?: Range
  readonly from?: string
  readonly to?: string
  readonly by?: Grouping
  readonly show?: Measure
  readonly bucket?: Bucket
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:00Z$/

export function readActivitySearch(search: Record<string, unknown>): ActivitySearch {
  const one = <Value extends string>(options: readonly { readonly value: Value }[], name: string) =>
    options.find(({ value }) => value === search[name])?.value
  const instant = (name: string) => {
    const value = search[name]
    return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value))
      ? value
      : undefined
  }
  const range = one(ranges, 'range')
  const [from, to] = range === 'own' ? [instant('from'), instant('to')] : []
  const [by, show, bucket] = [one(groupings, 'by'), one(measures, 'show'), one(buckets, 'bucket')]
  return {
    ...(range !== undefined && { range }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(by !== undefined && { by }),
    ...(show !== undefined && { show }),
    ...(bucket !== undefined && { bucket }),
  }
}

/** Writes a full hour for the address. */
export const writeInstant = (ms: number) => `${new Date(ms).toISOString().slice(0, 13)}:00Z`

/** Returns the filter of the list of calls from the start of the hour of `from` to that of `to` (unix ms). */
export const callsBetween = (from: number, to: number) =>
  ({ time: 'custom', from: writeInstant(from), to: writeInstant(to) }) as const

/** Returns the filter of the list of calls for the `days` of UTC that end with that of `now` (unix ms). */
export function callsOfDays(days: number, now: number) {
  const end = ceilTo(now + 1, DAY_MS)
  return callsBetween(end - days * DAY_MS, end)
}

/** A period of the page, in Unix ms, and how it is divided. `options` are the buckets that fit. */
export type Period = {
  readonly from: number
  readonly to: number
  readonly bucket: Bucket
  readonly options: readonly (typeof buckets)[number][]
}

/** Returns the period of the address at `now` (unix ms), in whole buckets of UTC. */
export function periodOf({ range = '7d', from, to, bucket: chosen }: ActivitySearch, now: number): Period {
  const end = ceilTo(now, range === '24h' ? HOUR_MS : DAY_MS)
  const days = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, own: 7 }[range]
  const last = range === 'own' && to !== undefined ? Date.parse(to) : end
  const wished = range === 'own' && from !== undefined ? Date.parse(from) : last - days * DAY_MS
  const first = Math.max(last - PERIOD_MS_MAX, Math.min(wished, last - HOUR_MS))
  const length = last - first
  const options = buckets.filter(
    ({ value }) => (value !== 'hour' || length <= HOURS_MS_MAX) && WIDTH_MS[value] <= length,
  )
  const natural: Bucket = length <= SHORT_MS ? 'hour' : 'day'
  const bucket = options.find(({ value }) => value === chosen)?.value ?? natural
  return { from: first, to: last, bucket, options }
}

const ceilTo = (now: number, width: number) => Math.ceil(now / width) * width

/**
 * Returns the gateway's queries of a period and of the one before it. The running period is compared with as much of
 * the one before.
 */
export function queriesOf(period: Period, by: Grouping, now: number): { current: Query; before: Query } {
  const { from, to, bucket } = period
  const reached = Math.max(from + 1, Math.min(to, now))
  const query = (start: number, end: number): Query => ({
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    bucket,
    by,
  })
  const length = to - from
  return { current: query(from, to), before: { ...query(from - length, reached - length), bucket: 'week' } }
}

/** Returns the end of a bucket within its period, in Unix ms. */
export function endOf(start: string, { bucket, to }: Period): number {
  return Math.min(to, Date.parse(start) + WIDTH_MS[bucket])
}

const hourName = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const dayName = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Names a bucket: `Nov 21, 14:00`, `Nov 21`, or `Nov 16–22`. */
export function nameOf(start: string, bucket: Bucket, isShort = false): string {
  const time = new Date(start)
  if (bucket === 'hour')
    return isShort ? hourName.format(time) : `${dayName.format(time)}, ${hourName.format(time)}`
  if (bucket === 'day' || isShort) return dayName.format(time)
  return dayName.formatRange(time, new Date(time.getTime() + 6 * DAY_MS))
}
