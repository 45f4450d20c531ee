import { formatUsdc, type Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import {
  SPENDING_BUCKETS_MAX,
  SPENDING_DAYS_MAX,
  SPENDING_GROUPS_MAX,
  type Spending,
  type SpendingBucket,
  type SpendingQuery,
} from '@farebox/wire/usage'
import type { Deps } from '../../../ports.ts'
import { readRefusals } from './refusal-store.ts'
import {
  hasEarlierCalls,
  readSpending,
  SCAN_MAX,
  type SpendingGroup,
  type SpendingRow,
} from './spending-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WIDTH_MS: Readonly<Record<SpendingBucket, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }
/** The first Monday of Unix time. */
const MONDAY_MS = 4 * DAY_MS

const NOTHING = {
  calls: 0,
  failed: 0,
  spent: 0n as Usdc,
  inputTokens: 0,
  cacheReadTokens: 0,
  outputTokens: 0,
  p50: null,
  p95: null,
}
type Sums = Pick<SpendingRow, keyof typeof NOTHING>

/** Columns of the sums as CSV. */
export const SPENDING_COLUMNS = [
  'start',
  'key',
  'calls',
  'failedCalls',
  'spentUsdc',
  'inputTokens',
  'cacheReadTokens',
  'outputTokens',
] as const

/**
 * Sums the cost of a wallet's calls of a period, of at most the newest {@link SCAN_MAX}.
 *
 * @param query.owner in lower case
 * @returns amounts as wire strings; `countedFrom` is set if the period has more calls than were summed
 * @throws GatewayError INVALID_REQUEST for a period that is empty or too long
 */
export async function sumSpending(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  query: SpendingQuery & { readonly owner: string },
): Promise<Spending> {
  const period = { ...query, ...periodOf(query, new Date(clock.now())) }
  const { from, to } = period
  const starts = startsOf(period)
  const [rows, refused] = await Promise.all([readSpending(db, period), readRefusals(db, period)])
  const refusedAt = new Map(refused.map(({ bucket, count }) => [bucket?.getTime(), count]))
  const reasons = refused.filter(({ code }) => code !== null).toSorted((a, b) => b.count - a.count)
  const of = (group: SpendingGroup) => rows.filter(({ grouped }) => grouped === group)
  const dearest = (group: SpendingGroup) => of(group).toSorted(byCost).slice(0, SPENDING_GROUPS_MAX)
  const [whole] = of('total')
  const isCut = whole !== undefined && whole.calls === SCAN_MAX && (await hasEarlierCalls(db, period))
  const buckets = new Map(of('bucket').map(row => [row.bucket?.getTime(), row]))
  const points = of('point').toSorted((a, b) => Number(a.bucket) - Number(b.bucket))
  return {
    days: Math.floor((to.getTime() - 1) / DAY_MS) - Math.floor(from.getTime() / DAY_MS) + 1,
    from: from.toISOString(),
    to: to.toISOString(),
    total: {
      ...withLatency(whole ?? NOTHING),
      refusedCalls: reasons.reduce((sum, { count }) => sum + count, 0),
    },
    buckets: starts.map(start => ({
      start: new Date(start).toISOString(),
      ...withLatency(buckets.get(start) ?? NOTHING),
      refusedCalls: refusedAt.get(start) ?? 0,
    })),
    series: of('series')
      .toSorted((a, b) => Number(a.series === null) - Number(b.series === null) || byCost(a, b))
      .map(row => ({
        key: row.series,
        ...withLatency(row),
        points: points
          .filter(({ series }) => series === row.series)
          .map(point => ({ start: isoOf(point.bucket), ...active(point) })),
      })),
    refusals: reasons.slice(0, SPENDING_GROUPS_MAX).map(row => ({
      credentialId: row.credentialId ?? '',
      code: row.code ?? '',
      limit: row.limitName === '' ? null : row.limitName,
      calls: row.count,
      lastAt: row.lastAt.toISOString(),
    })),
    byDay: of('day')
      .map(row => ({ day: row.day ?? '', ...spentOf(row) }))
      .toSorted((a, b) => a.day.localeCompare(b.day)),
    byService: dearest('service').map(row => ({ serviceId: row.serviceId ?? '', ...spentByOne(row) })),
    byCredential: dearest('credential').map(row => ({
      credentialId: row.credentialId ?? '',
      ...spentByOne(row),
    })),
    countedFrom: isCut ? isoOf(whole.oldest) : null,
  }
}

/** Returns the starts of all buckets of a period, in Unix ms. */
function startsOf({ bucket, from, to }: { bucket: SpendingBucket; from: Date; to: Date }): number[] {
  const width = WIDTH_MS[bucket]
  const origin = bucket === 'week' ? MONDAY_MS : 0
  const first = Math.floor((from.getTime() - origin) / width) * width + origin
  const count = Math.ceil((to.getTime() - first) / width)
  if (count > SPENDING_BUCKETS_MAX)
    throw invalid(`The period has more than ${SPENDING_BUCKETS_MAX} hours. Ask for days.`)
  return Array.from({ length: count }, (_, index) => first + index * width)
}

/** Returns the buckets of all series as rows of {@link SPENDING_COLUMNS}. */
export function spendingRows({ series }: Spending) {
  return series
    .flatMap(({ key, points }) => points.map(point => ({ key: key ?? 'other', ...point })))
    .toSorted((a, b) => a.start.localeCompare(b.start))
}

/** Returns the asked period: from `from`, or of the last UTC days. */
function periodOf({ days, from, to }: SpendingQuery, now: Date): { from: Date; to: Date } {
  if (from === undefined) {
    if (to !== undefined) throw invalid('to needs from.')
    return { from: new Date((Math.floor(now.getTime() / DAY_MS) - days + 1) * DAY_MS), to: now }
  }
  const end = to ?? now
  const length = end.getTime() - from.getTime()
  if (length <= 0) throw invalid('from must be before to.')
  if (length > SPENDING_DAYS_MAX * DAY_MS)
    throw invalid(`The period may have at most ${SPENDING_DAYS_MAX} days.`)
  return { from, to: end }
}

const invalid = (message: string) => new GatewayError('INVALID_REQUEST', {}, { message })
const isoOf = (time: Date | null) => (time ?? new Date(0)).toISOString()
const byCost = (a: Sums, b: Sums) => (a.spent === b.spent ? b.calls - a.calls : a.spent < b.spent ? 1 : -1)

function spentOf({ calls, failed, spent }: Sums) {
  return { calls, failedCalls: failed, spentUsdc: formatUsdc(spent) }
}

const spentByOne = (row: SpendingRow) => ({ ...spentOf(row), lastCallAt: row.newest.toISOString() })

function active(sums: Sums) {
  const { inputTokens, cacheReadTokens, outputTokens } = sums
  return { ...spentOf(sums), inputTokens, cacheReadTokens, outputTokens }
}

function withLatency(sums: Sums) {
  return { ...active(sums), latencyP50Ms: sums.p50, latencyP95Ms: sums.p95 }
}
