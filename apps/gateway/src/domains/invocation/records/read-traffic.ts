import { formatUsdc, type Usdc } from '@farebox/money'
import {
  bucketsOf,
  CALLERS_SHOWN_MAX,
  FAILURES_SHOWN_MAX,
  TRAFFIC_GROUPS_MAX,
  type Traffic,
  type TrafficQuery,
  type TrafficSums,
} from '@farebox/wire/traffic'
import sql, { empty, type Sql } from 'sql-template-tag'
import type { Deps, Queryable } from '../../../ports.ts'
import { idAfter, idBefore } from '../../../runtime/id-times.ts'
import { resolveServiceId } from '../../services/resolve-service-id.ts'
import { faultOf } from '../provider/verdict-rules.ts'
import { readTargets } from '../targets/read-targets.ts'
import { type FailureKind, presentFailures } from './present-failures.ts'

/** Maximum calls of a provider that are counted, newest first: some hundreds of ms. */
const SCAN_MAX = 100_000
/** Maximum failed calls whose stored answers are read, newest first. */
const FAILURES_READ_MAX = 10_000

type Group = {
  /** Start of the bucket; null unless the row is of one. Likewise the next. */
  readonly start: Date | null
  readonly serviceId: string | null
}
type CountRow = Group & {
  readonly calls: number
  readonly callers: number
  readonly succeeded: number
  readonly open: number
  /** p50, p95 and p99 in ms; null without a successful call. */
  readonly latencies: readonly number[] | null
  readonly earned: Usdc
  readonly promotional: Usdc
  /** Number of calls that were scanned for all rows, and time of the oldest. */
  readonly scanned: number
  readonly oldest: Date | null
}
type CallerRow = Pick<CountRow, 'calls' | 'succeeded' | 'earned'> & { readonly lastAt: Date }
type FailureRow = Group & FailureKind
type Asked = TrafficQuery & { readonly provider: string; readonly serviceId?: string | undefined }

/**
 * Counts a provider's newest {@link SCAN_MAX} calls in a period: by bucket, by service, by caller and by the way they
 * failed; and attempts by target.
 *
 * @param query.provider in lower case
 * @returns amounts as wire strings; zeros for an unknown service. `countedFrom` is set if not all calls were counted
 */
export async function readTraffic(
  deps: Pick<Deps, 'db'>,
  query: TrafficQuery & { readonly provider: string },
): Promise<Traffic> {
  const reference = query.serviceId
  const serviceId = reference === undefined ? undefined : await resolveServiceId(deps, reference)
  const starts = bucketsOf(query)
  const period = { from: new Date(starts[0] ?? query.from), to: query.to, bucket: query.bucket }
  // No call has the empty id.
  const asked = { ...query, ...period, serviceId: serviceId === null ? '' : serviceId }
  const [counts, failures, byTarget, callers] = await Promise.all([
    count(deps.db, asked),
    countFailures(deps.db, asked),
    readTargets(deps.db, asked),
    countCallers(deps.db, asked),
  ])
  const total = counts.find(({ start, serviceId: id }) => start === null && id === null)
  const counted = new Map(counts.map(row => [row.start?.getTime(), row]))
  const failed = Map.groupBy(failures, ({ start, serviceId: id }) => start?.getTime() ?? id)
  const services = counts
    .filter(row => row.serviceId !== null)
    .toSorted((a, b) => b.calls - a.calls)
    .slice(0, TRAFFIC_GROUPS_MAX)
  const kinds = failed.get(null) ?? []
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    bucket: period.bucket,
    total: sumsOf(total, kinds),
    series: starts.map(start => ({
      start: new Date(start).toISOString(),
      ...sumsOf(counted.get(start), failed.get(start)),
    })),
    byService: services.map(row => ({
      serviceId: row.serviceId ?? '',
      ...sumsOf(row, failed.get(row.serviceId)),
    })),
    byTarget,
    byCaller: callers.map(({ earned, lastAt, ...counted }) => ({
      ...counted,
      earnedUsdc: formatUsdc(earned),
      lastAt: lastAt.toISOString(),
    })),
    failures: await presentFailures(
      deps.db,
      kinds.toSorted((a, b) => b.calls - a.calls).slice(0, FAILURES_SHOWN_MAX),
    ),
    countedFrom: total !== undefined && total.scanned === SCAN_MAX ? cutAt(total, period.from) : null,
  }
}

/** Returns when the counted calls begin if that is after the start of the period; otherwise null. */
const cutAt = ({ oldest }: CountRow, from: Date): string | null =>
  oldest !== null && oldest > from ? oldest.toISOString() : null

function sumsOf(row: CountRow | undefined, failures: readonly FailureRow[] = []): TrafficSums {
  const { calls = 0, callers = 0, succeeded = 0, open = 0, latencies = null } = row ?? {}
  const faults = { provider: 0, caller: 0, other: 0 }
  for (const failure of failures) faults[faultOf(failure)] += failure.calls
  const [p50 = 0, p95 = 0, p99 = 0] = latencies ?? []
  return {
    calls,
    callers,
    succeeded,
    open,
    providerFaults: faults.provider,
    callerFaults: faults.caller,
    // Also the failures whose answers were not read.
    otherFaults: Math.max(0, calls - succeeded - open - faults.provider - faults.caller),
    latencyMs: latencies === null ? null : { p50, p95, p99 },
    earnedUsdc: formatUsdc(row?.earned ?? (0n as Usdc)),
    promotionalUsdc: formatUsdc(row?.promotional ?? (0n as Usdc)),
  }
}

/** The newest calls of the period by id, and those of them by time; queried as a range: see ofParty in store.ts. */
const newest = ({ provider, from, to, bucket, serviceId }: Asked): Sql => sql`
  newest as materialized (
    select i.* from invocations i
    where (i.provider, i.id) >= (${provider}, ${idBefore(from)}) and (i.provider, i.id) < (${provider}, ${idAfter(to)})
    order by i.provider desc, i.id desc limit ${SCAN_MAX}),
  counted as (
    select *, date_trunc(${bucket}, drawn_at, 'UTC') as start from newest
    where drawn_at >= ${from} and drawn_at < ${to}
      ${serviceId === undefined ? empty : sql`and service_id = ${serviceId}`})`

/** The fee comes from deposited money first: see `promotionalEarnings` of the ledger. */
function count(db: Queryable, asked: Asked): Promise<CountRow[]> {
  return db.query<CountRow>(sql`
    with ${newest(asked)}
    select start, service_id, count(*)::int as calls, count(distinct owner)::int as callers,
      (count(*) filter (where status = 'SUCCEEDED'))::int as succeeded,
      (count(*) filter (where status in ('PENDING', 'PROCESSING')))::int as open,
      percentile_cont(array[0.5, 0.95, 0.99]) within group (order by latency_ms)
        filter (where status = 'SUCCEEDED') as latencies,
      coalesce(sum(charged - fee), 0)::bigint as earned,
      coalesce(sum(least(promotional, charged - fee)), 0)::bigint as promotional,
      (select count(*)::int from newest) as scanned, (select min(drawn_at) from newest) as oldest
    from counted group by grouping sets ((start), (service_id), ())`)
}

/** Counts the calls of the wallets that call most. */
function countCallers(db: Queryable, asked: Asked): Promise<CallerRow[]> {
  return db.query<CallerRow>(sql`
    with ${newest(asked)}
    select count(*)::int as calls, (count(*) filter (where status = 'SUCCEEDED'))::int as succeeded,
      coalesce(sum(charged - fee), 0)::bigint as earned, max(drawn_at) as last_at
    from counted group by owner order by calls desc, max(id) desc limit ${CALLERS_SHOWN_MAX}`)
}

/**
 * Reads reason and status by patterns, not as JSON: a provider's text may contain characters that jsonb refuses. Inside
 * of a JSON string quotes are escaped, so the patterns match members only.
 */
function countFailures(db: Queryable, asked: Asked): Promise<FailureRow[]> {
  return db.query<FailureRow>(sql`
    with ${newest(asked)},
      failed as materialized (
        select id, start, service_id, drawn_at, error_code from counted
        where status in ('FAILED_RETRYABLE', 'FAILED_FINAL') order by id desc limit ${FAILURES_READ_MAX}),
      explained as (
        select f.*, coalesce(f.error_code, 'INTERNAL') as code, a.http_status,
          substring(a.body from '"reason":"([a-z_]{1,64})"') as reason,
          substring(a.body from '"upstreamStatus":([0-9]{3})[,}]')::int as upstream_status
        from failed f left join invocation_answers a on a.invocation_id = f.id)
    select start, service_id, code, http_status, reason, upstream_status, count(*)::int as calls,
      max(id) as last_id, max(drawn_at) as last_at
    from explained
    group by code, http_status, reason, upstream_status, grouping sets ((start), (service_id), ())`)
}
