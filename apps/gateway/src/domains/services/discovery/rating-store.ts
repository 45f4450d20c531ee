import sql, { type Sql } from 'sql-template-tag'
import type { Db, Queryable, Tx } from '../../../ports.ts'
import { highestInputPrice } from '../pricing/pricing-store.ts'
import { type DayOfCalls, RATED_DAYS, type Rating } from './rating-rules.ts'

/** Calls of a service to add to a day. */
export type CallsOfService = {
  readonly serviceId: string
  readonly good: number
  readonly bad: number
  /** Of the successful ones, in ms. */
  readonly latencyMs: number
  /** The rated part of them, at its effective prices. */
  readonly rated: Prices & {
    readonly good: number
    readonly bad: number
    readonly latencyMs: number
    readonly outputTokens: number
  }
}

/** Per call or per million input tokens, and per million output tokens, in micro-USDC. */
type Prices = { readonly price: bigint; readonly outputPrice: bigint }

/** SQL: effective prices of `services s`, to compare with those of calls. */
const price = sql`coalesce(${highestInputPrice}, s.price)`
const outputPrice = sql`coalesce(s.output_price, 0)`

/** Returns the current prices of services; unknown ones are absent. */
export async function readPricesInForce(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Prices>> {
  const rows = await db.query<Prices & { id: string }>(sql`
    select id, ${price} as price, ${outputPrice} as output_price from services s where id = any(${ids}::text[])`)
  return new Map(rows.map(({ id, ...prices }) => [id, prices]))
}

/** Returns the wallets that have a credited deposit. */
export async function readFunded(db: Queryable, wallets: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ wallet: string }>(sql`
    select wallet from unnest(${wallets}::text[]) as asked (wallet)
    where exists (select from deposits d where d.wallet = asked.wallet and d.status = 'credited')`)
  return new Set(rows.map(({ wallet }) => wallet))
}

/**
 * Adds calls to those of today (UTC, database time), in the order of the ids, sorted by the caller. If a price is above
 * that of the calls rated so far today, those no longer count.
 */
export async function addCalls(tx: Tx, calls: readonly CallsOfService[]): Promise<void> {
  await tx.query(sql`
    insert into service_calls as kept (service_id, day, good, bad, latency_ms, rated_good, rated_bad, rated_latency_ms,
      rated_output_tokens, rated_price, rated_output_price)
    select id, (now() at time zone 'utc')::date, good, bad, latency_ms, rated_good, rated_bad, rated_latency_ms,
      rated_output_tokens, price, output_price
    from unnest(${calls.map(call => call.serviceId)}::text[], ${calls.map(call => call.good)}::bigint[],
      ${calls.map(call => call.bad)}::bigint[], ${calls.map(call => call.latencyMs)}::float8[],
      ${calls.map(call => call.rated.good)}::bigint[], ${calls.map(call => call.rated.bad)}::bigint[],
      ${calls.map(call => call.rated.latencyMs)}::float8[],
      ${calls.map(call => call.rated.outputTokens)}::float8[], ${calls.map(call => call.rated.price)}::bigint[],
      ${calls.map(call => call.rated.outputPrice)}::bigint[])
      as added (id, good, bad, latency_ms, rated_good, rated_bad, rated_latency_ms, rated_output_tokens, price, output_price)
    on conflict (service_id, day) do update set good = kept.good + excluded.good, bad = kept.bad + excluded.bad,
      latency_ms = kept.latency_ms + excluded.latency_ms,
      rated_good = excluded.rated_good + case when ${isCheaper} then 0 else kept.rated_good end,
      rated_bad = excluded.rated_bad + case when ${isCheaper} then 0 else kept.rated_bad end,
      rated_latency_ms = excluded.rated_latency_ms + case when ${isCheaper} then 0 else kept.rated_latency_ms end,
      rated_output_tokens = excluded.rated_output_tokens + case when ${isCheaper} then 0 else kept.rated_output_tokens end,
      rated_price = excluded.rated_price, rated_output_price = excluded.rated_output_price`)
}

const isCheaper = sql`(kept.rated_price < excluded.rated_price or kept.rated_output_price < excluded.rated_output_price)`

/** Returns the calls of services by day, of the last `days` (UTC, database time). */
export function readDaysOfCalls(
  db: Queryable,
  serviceIds: readonly string[],
  days: number,
): Promise<ReadonlyMap<string, readonly DayOfCalls[]>> {
  return readDays(
    db,
    sql`
    select service_id as id, (now() at time zone 'utc')::date - day as age, good, bad, latency_ms,
      rated_output_tokens as output_tokens, rated_latency_ms as output_ms
    from service_calls
    where service_id = any(${serviceIds}::text[]) and day > (now() at time zone 'utc')::date - ${days}::int`,
  )
}

/** Returns the rated calls of services by day: none made below the effective price. */
export function readDaysRatedBy(
  db: Queryable,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly DayOfCalls[]>> {
  return readDays(
    db,
    sql`
    select c.service_id as id, (now() at time zone 'utc')::date - c.day as age, c.rated_good as good, c.rated_bad as bad,
      c.rated_latency_ms as latency_ms, c.rated_output_tokens as output_tokens, c.rated_latency_ms as output_ms
    from service_calls c join services s on s.id = c.service_id
    where c.service_id = any(${serviceIds}::text[])
      and c.day > (now() at time zone 'utc')::date - ${RATED_DAYS}::int and c.rated_price >= ${price} and c.rated_output_price >= ${outputPrice}`,
  )
}

async function readDays(db: Queryable, query: Sql): Promise<ReadonlyMap<string, readonly DayOfCalls[]>> {
  type Row = Omit<DayOfCalls, 'good' | 'bad'> & { id: string; good: bigint; bad: bigint }
  const rows = await db.query<Row>(query)
  const days = new Map<string, DayOfCalls[]>()
  for (const { id, good, bad, ...row } of rows) {
    const day = { ...row, good: Number(good), bad: Number(bad) }
    const before = days.get(id)
    if (before === undefined) days.set(id, [day])
    else before.push(day)
  }
  return days
}

/** Writes changed ratings, in the order of the ids, sorted by the caller. */
export async function writeRatings(
  tx: Tx,
  ratings: readonly (Rating & { serviceId: string })[],
): Promise<void> {
  if (ratings.length === 0) return
  await tx.query(sql`
    insert into service_ratings as kept (service_id, success_rate, latency_ms, tokens_per_second, is_rated, reliability, quality)
    select * from unnest(${ratings.map(rating => rating.serviceId)}::text[],
      ${ratings.map(rating => rating.successRate)}::float8[], ${ratings.map(rating => rating.latencyMs)}::float8[],
      ${ratings.map(rating => rating.tokensPerSecond)}::float8[], ${ratings.map(rating => rating.isRated)}::boolean[], ${ratings.map(rating => rating.reliability)}::float8[],
      ${ratings.map(rating => rating.quality)}::float8[])
    on conflict (service_id) do update set success_rate = excluded.success_rate, latency_ms = excluded.latency_ms,
      tokens_per_second = excluded.tokens_per_second, is_rated = excluded.is_rated, reliability = excluded.reliability, quality = excluded.quality
    where (kept.success_rate, kept.latency_ms, kept.tokens_per_second, kept.is_rated, kept.reliability, kept.quality) is distinct from
      (excluded.success_rate, excluded.latency_ms, excluded.tokens_per_second, excluded.is_rated, excluded.reliability, excluded.quality)`)
}

/** Returns ids of rated services after an id, locked against concurrent rating. */
export async function lockRatedServices(tx: Tx, query: { after: string; limit: number }): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select service_id as id from service_ratings where service_id > ${query.after}
    order by service_id limit ${query.limit} for update`)
  return rows.map(({ id }) => id)
}

/** Deletes the calls of days before the last `days`. */
export async function deleteOldCalls(db: Db, days: number): Promise<void> {
  await db.query(sql`
    delete from service_calls where day <= (now() at time zone 'utc')::date - ${days}::int`)
}
