import type { Usdc } from '@farebox/money'
import type { SpendingQuery } from '@farebox/wire/usage'
import sql, { type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { idAfter, idBefore } from '../../../runtime/id-times.ts'
import { modelName } from './store.ts'

/** Maximum calls of a period that are summed, newest first: some hundreds of ms. */
export const SCAN_MAX = 100_000

/** Properties shared by the calls of a row. */
export type SpendingGroup = 'total' | 'bucket' | 'series' | 'point' | 'day' | 'service' | 'credential'

/** Sums of the calls of one group. */
export type SpendingRow = {
  readonly grouped: SpendingGroup
  /** Start of the bucket; null unless the row is of one. Likewise the next four. */
  readonly bucket: Date | null
  /** Null also for the calls that are in none of the series with the highest cost. */
  readonly series: string | null
  readonly day: string | null
  readonly serviceId: string | null
  readonly credentialId: string | null
  readonly calls: number
  readonly failed: number
  readonly spent: Usdc
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly outputTokens: number
  /** Latencies of successful calls; null for a day, service, credential or point. */
  readonly p50: number | null
  readonly p95: number | null
  /** Times of the oldest and the newest summed call. */
  readonly oldest: Date
  readonly newest: Date
}

/** Owner (in lower case), start, end, and form of the sums; `series` is the maximum number of series with a key. */
export type SpendingPeriod = Pick<SpendingQuery, 'bucket' | 'by' | 'series'> & {
  readonly owner: string
  readonly from: Date
  readonly to: Date
}

const KEYS: Readonly<Record<SpendingQuery['by'], Sql>> = {
  service: sql`c.service_id`,
  credential: sql`c.credential_id`,
  model: sql`(select ${modelName} from services s where s.id = c.service_id and s.service_kind = 'llm')`,
}

/** Returns the sums of a wallet's calls of a period: of the newest {@link SCAN_MAX} calls by id. */
export function readSpending(db: Queryable, period: SpendingPeriod): Promise<SpendingRow[]> {
  const { owner, from, to, bucket, by, series } = period
  // Ids are bounded in one comparison with the wallet: see ofParty in store.ts. The lateral join looks up each call.
  return db.query<SpendingRow>(sql`
    with scanned as materialized (
      select i.id, i.service_id, i.credential_id, i.drawn_at, i.charged, i.status, i.latency_ms from invocations i
      where (i.owner, i.id) >= (${owner}, ${idBefore(from)})
        and (i.owner, i.id) < (${owner}, ${idAfter(to)})
      order by i.owner desc, i.id desc limit ${SCAN_MAX}),
    keyed as materialized (
      select c.*, date_trunc(${bucket}, c.drawn_at, 'UTC') as bucket, ${KEYS[by]} as key,
        to_char(c.drawn_at at time zone 'UTC', 'YYYY-MM-DD') as day,
        m.input_tokens, m.cache_read_tokens, m.output_tokens
      from scanned c left join lateral (
        select * from metered_calls where metered_calls.invocation_id = c.id offset 0) m on true
      where c.drawn_at >= ${from} and c.drawn_at < ${to}),
    dearest as (
      select key as series from keyed where key is not null
      group by key order by sum(charged) desc, count(*) desc, key limit ${series}),
    counted as materialized (select k.*, d.series from keyed k left join dearest d on d.series = k.key),
    latencies as (
      select bucket, series, grouping(bucket, series) as groups,
        percentile_disc(array[0.5, 0.95]) within group (order by latency_ms) as ms
      from counted where status = 'SUCCEEDED' group by grouping sets ((bucket), (series), ())),
    sums as (
      select bucket, series, day, service_id, credential_id,
        grouping(bucket, series) as groups, grouping(bucket, series, day, service_id, credential_id) as all_groups,
        count(*)::int as calls,
        (count(*) filter (where status in ('FAILED_RETRYABLE', 'FAILED_FINAL')))::int as failed,
        coalesce(sum(charged), 0)::bigint as spent,
        coalesce(sum(input_tokens), 0)::float8 as input_tokens,
        coalesce(sum(cache_read_tokens), 0)::float8 as cache_read_tokens,
        coalesce(sum(output_tokens), 0)::float8 as output_tokens,
        min(drawn_at) as oldest, max(drawn_at) as newest
      from counted
      group by grouping sets ((bucket), (series), (bucket, series), (day), (service_id), (credential_id), ()))
    select case s.all_groups when 31 then 'total' when 15 then 'bucket' when 23 then 'series' when 7 then 'point'
                             when 27 then 'day' when 29 then 'service' else 'credential' end as grouped,
      s.bucket, s.series, s.day, s.service_id, s.credential_id, s.calls, s.failed, s.spent,
      s.input_tokens, s.cache_read_tokens, s.output_tokens, l.ms[1] as p50, l.ms[2] as p95, s.oldest, s.newest
    from sums s left join latencies l
      on s.all_groups in (31, 15, 23) and l.groups = s.groups
        and l.bucket is not distinct from s.bucket and l.series is not distinct from s.series
    where s.calls > 0`)
}

/** Returns true if the period has more calls than were summed: if it goes on beyond the scanned ones. */
export async function hasEarlierCalls(db: Queryable, period: SpendingPeriod): Promise<boolean> {
  const { owner, from, to } = period
  const [row] = await db.query<{ drawnAt: Date }>(sql`
    select i.drawn_at from invocations i
    where (i.owner, i.id) >= (${owner}, ${idBefore(from)}) and (i.owner, i.id) < (${owner}, ${idAfter(to)})
    order by i.owner desc, i.id desc offset ${SCAN_MAX} limit 1`)
  return row !== undefined && row.drawnAt >= from
}
