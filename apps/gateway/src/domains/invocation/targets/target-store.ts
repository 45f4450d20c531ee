import sql, { empty } from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { bigints, texts, times } from '../../../sql/pg-arrays.ts'
import type { CountedAttempts } from './target-tally.ts'

/** Maximum rows that are summed for a period, newest first: 14 targets that are called in each hour of 30 days. */
const ROWS_MAX = 10_000

/** Adds counts to those of their hours, in one order, so that gateways do not deadlock. */
export async function addAttempts(db: Queryable, counts: readonly CountedAttempts[]): Promise<void> {
  const numbers = (name: 'calls' | 'succeeded' | 'providerFaults' | 'callerFaults' | 'otherFaults') =>
    bigints(counts, row => BigInt(row[name]))
  await db.query(sql`
    insert into target_calls as t (provider, hour, service_id, url, calls, succeeded, provider_faults, caller_faults,
      other_faults, earned, latencies)
    select provider, hour, service_id, url, calls, succeeded, provider_faults, caller_faults, other_faults, earned,
      bands::bigint[]
    from unnest(
      ${texts(counts, ({ provider }) => provider)}::text[], ${times(counts, ({ hour }) => hour)}::timestamptz[],
      ${texts(counts, ({ serviceId }) => serviceId)}::text[], ${texts(counts, ({ url }) => url)}::text[],
      ${numbers('calls')}::bigint[], ${numbers('succeeded')}::bigint[], ${numbers('providerFaults')}::bigint[],
      ${numbers('callerFaults')}::bigint[], ${numbers('otherFaults')}::bigint[],
      ${bigints(counts, ({ earned }) => earned)}::bigint[],
      ${texts(counts, ({ latencies }) => `{${latencies.join()}}`)}::text[]) as added (provider, hour, service_id, url,
        calls, succeeded, provider_faults, caller_faults, other_faults, earned, bands)
    order by provider, hour, service_id, url
    on conflict (provider, hour, service_id, url) do update set calls = t.calls + excluded.calls,
      succeeded = t.succeeded + excluded.succeeded, provider_faults = t.provider_faults + excluded.provider_faults,
      caller_faults = t.caller_faults + excluded.caller_faults, other_faults = t.other_faults + excluded.other_faults,
      earned = t.earned + excluded.earned,
      latencies = coalesce((select array_agg(coalesce(kept, 0) + coalesce(added, 0) order by band)
        from unnest(t.latencies, excluded.latencies) with ordinality as both_of (kept, added, band)), '{}')`)
}

/** Attempts at a target in a period. `bands` are numbers of bands, from 0, and `counts` the latencies in them. */
export type TargetRow = Omit<CountedAttempts, 'provider' | 'hour' | 'latencies'> & {
  readonly bands: readonly number[]
  readonly counts: readonly number[]
}

/** Returns the attempts at targets of a provider in the hours of a period that begin in it, the most called first. */
export function readAttempts(
  db: Queryable,
  query: { provider: string; serviceId?: string | undefined; from: Date; to: Date; limit: number },
): Promise<TargetRow[]> {
  const { provider, serviceId, from, to, limit } = query
  return db.query<TargetRow>(sql`
    with counted as materialized (
      select * from target_calls
      where provider = ${provider} and hour >= date_trunc('hour', ${from}::timestamptz) and hour < ${to}
        ${serviceId === undefined ? empty : sql`and service_id = ${serviceId}`}
      order by hour desc limit ${ROWS_MAX}),
    of_target as (
      select service_id, url, sum(calls)::float8 as calls, sum(succeeded)::float8 as succeeded,
        sum(provider_faults)::float8 as provider_faults, sum(caller_faults)::float8 as caller_faults,
        sum(other_faults)::float8 as other_faults, sum(earned)::bigint as earned
      from counted group by service_id, url order by 3 desc, 1, 2 limit ${limit}),
    of_band as (
      select service_id, url, (band - 1)::int as band, sum(n)::float8 as n
      from counted cross join unnest(latencies) with ordinality as in_band (n, band) where n > 0 group by 1, 2, 3)
    select t.*, coalesce(b.bands, '{}') as bands, coalesce(b.counts, '{}') as counts
    from of_target t left join (
      select service_id, url, array_agg(band order by band) as bands, array_agg(n order by band) as counts
      from of_band group by 1, 2) b using (service_id, url)
    order by t.calls desc, t.service_id, t.url`)
}

/** Attempts at a target on a day of UTC. `age` is in days; today is 0. */
export type TargetDay = {
  readonly url: string
  readonly age: number
  readonly calls: number
  /** Attempts that failed by the fault of the provider. */
  readonly failed: number
}

/** Returns the attempts at the targets of a service by day, for so many days with today. */
export function readAttemptsByDay(
  db: Queryable,
  query: { provider: string; serviceId: string; days: number },
): Promise<TargetDay[]> {
  const { provider, serviceId, days } = query
  return db.query<TargetDay>(sql`
    with counted as (
      select url, calls, provider_faults, (now() at time zone 'utc')::date - (hour at time zone 'utc')::date as age
      from target_calls
      where provider = ${provider} and service_id = ${serviceId}
        and hour >= date_trunc('day', now(), 'UTC') - make_interval(days => ${days - 1})
      order by hour desc limit ${ROWS_MAX})
    select url, age, sum(calls)::float8 as calls, sum(provider_faults)::float8 as failed
    from counted group by url, age order by url, age`)
}

/** Deletes counts of hours before a time, oldest first; returns how many. */
export async function deleteOldAttempts(
  db: Queryable,
  query: { before: Date; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from target_calls where (provider, hour, service_id, url) in (
      select provider, hour, service_id, url from target_calls
      where hour < ${query.before} order by hour limit ${query.limit} for update skip locked)
    returning 1`)
  return rows.length
}
