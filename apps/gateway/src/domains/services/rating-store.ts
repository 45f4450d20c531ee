import sql from 'sql-template-tag'
import type { Db, Queryable, Tx } from '../../ports.ts'
import type { DayOfCalls, Rating } from './rating-rules.ts'

/** Adds calls to those of today (UTC, by the database). In the order of the ids, which the caller has sorted. */
export async function addCalls(
  tx: Tx,
  calls: readonly { serviceId: string; good: number; bad: number; latencyMs: number }[],
): Promise<void> {
  await tx.query(sql`
    insert into service_calls as kept (service_id, day, good, bad, latency_ms)
    select id, (now() at time zone 'utc')::date, good, bad, latency_ms
    from unnest(${calls.map(call => call.serviceId)}::text[], ${calls.map(call => call.good)}::bigint[],
      ${calls.map(call => call.bad)}::bigint[], ${calls.map(call => call.latencyMs)}::float8[])
      as added (id, good, bad, latency_ms)
    on conflict (service_id, day) do update set good = kept.good + excluded.good, bad = kept.bad + excluded.bad,
      latency_ms = kept.latency_ms + excluded.latency_ms`)
}

/** The calls of services by day. */
export async function readDaysOfCalls(
  db: Queryable,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly DayOfCalls[]>> {
  type Row = { id: string; age: number; good: bigint; bad: bigint; latencyMs: number }
  const rows = await db.query<Row>(sql`
    select service_id as id, (now() at time zone 'utc')::date - day as age, good, bad, latency_ms as "latencyMs"
    from service_calls where service_id = any(${serviceIds}::text[])`)
  const days = new Map<string, DayOfCalls[]>()
  for (const { id, age, good, bad, latencyMs } of rows) {
    const day = { age, good: Number(good), bad: Number(bad), latencyMs }
    const before = days.get(id)
    if (before === undefined) days.set(id, [day])
    else before.push(day)
  }
  return days
}

/** Writes ratings, those that have changed. In the order of the ids, which the caller has sorted. */
export async function writeRatings(
  tx: Tx,
  ratings: readonly (Rating & { serviceId: string })[],
): Promise<void> {
  if (ratings.length === 0) return
  await tx.query(sql`
    insert into service_ratings as kept (service_id, success_rate, latency_ms, is_rated, reliability, quality)
    select * from unnest(${ratings.map(rating => rating.serviceId)}::text[],
      ${ratings.map(rating => rating.successRate)}::float8[], ${ratings.map(rating => rating.latencyMs)}::float8[],
      ${ratings.map(rating => rating.isRated)}::boolean[], ${ratings.map(rating => rating.reliability)}::float8[],
      ${ratings.map(rating => rating.quality)}::float8[])
    on conflict (service_id) do update set success_rate = excluded.success_rate, latency_ms = excluded.latency_ms,
      is_rated = excluded.is_rated, reliability = excluded.reliability, quality = excluded.quality
    where (kept.success_rate, kept.latency_ms, kept.is_rated, kept.reliability, kept.quality) is distinct from
      (excluded.success_rate, excluded.latency_ms, excluded.is_rated, excluded.reliability, excluded.quality)`)
}

/** Ids of rated services after an id, locked against being rated by others meanwhile. */
export async function lockRatedServices(tx: Tx, query: { after: string; limit: number }): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select service_id as id from service_ratings where service_id > ${query.after}
    order by service_id limit ${query.limit} for update`)
  return rows.map(({ id }) => id)
}

/** Drops the calls of days that count no more. */
export async function deleteOldCalls(db: Db, days: number): Promise<void> {
  await db.query(sql`
    delete from service_calls where day <= (now() at time zone 'utc')::date - ${days}::int`)
}
