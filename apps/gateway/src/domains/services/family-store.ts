import { MEDIA_TOKENS_DEFAULT } from '@farebox/wire/llm-terms'
import type { LlmDialect } from '@farebox/wire/model-kinds'
import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'
import { isCallable, isHealthy } from './store.ts'
import { isReference, isReferredTo } from './tool-name-store.ts'

/** By what the services of a family are ranked. */
export type FamilySort = 'price' | 'latency' | 'throughput'

/** The price in force of a column of `services s`: that of a notice while one runs. */
const inForce = (member: string, column: string) => sql`
  case when s.notice_ends_at > statement_timestamp() then (s.notice_pricing ->> ${member})::bigint
    else ${raw(column)} end`
/** The highest price in force of input, cached or not. */
const inputInForce = sql`greatest(${inForce('inputPricePer1M', 's.input_price')},
  ${inForce('cacheReadPricePer1M', 's.cache_read_price')}, ${inForce('cacheWritePricePer1M', 's.cache_write_price')})`
/** Price of 1,000 input and 500 output tokens, in the unit of service_search.typical_price. */
const price = sql`2 * ${inputInForce} + ${inForce('outputPricePer1M', 's.output_price')}`

const ORDERS: Readonly<Record<FamilySort, Sql>> = {
  price: empty,
  latency: sql`r.latency_ms nulls last,`,
  throughput: sql`r.tokens_per_second desc nulls last,`,
}

/** Tokens of an image, a sound or a file at `services s`. */
const mediaTokens = sql`coalesce(s.media_tokens, ${MEDIA_TOKENS_DEFAULT})`
/**
 * Highest price of a service of the family, and tokens of a medium, as a multiple of those of the named one. Anybody may
 * join a family, and be the fastest of it at any price.
 */
const COST_MULTIPLE_MAX = 10

/**
 * Returns the agentToolNames of callable services of the family of a service, ranked, the cheapest first of equals.
 *
 * @param query.among ids and agentToolNames to choose from, at any price; null: all up to {@link COST_MULTIPLE_MAX}
 */
export async function readFamily(
  db: Queryable,
  query: {
    member: string
    dialect: LlmDialect
    sort: FamilySort
    among: ReadonlySet<string> | null
    limit: number
  },
): Promise<string[]> {
  const { member, dialect, sort, limit } = query
  if (!isReference(member)) return []
  const among = query.among === null ? null : [...query.among]
  const isChosen =
    among === null
      ? sql`${price} <= ${COST_MULTIPLE_MAX} * named.price and ${mediaTokens} <= ${COST_MULTIPLE_MAX} * named.media_tokens`
      : sql`(s.id = any(${among}::text[]) or s.agent_tool_name = any(${among}::text[]))`
  const rows = await db.query<{ name: string }>(sql`
    with named as (
      select s.model_family, ${price} as price, ${mediaTokens} as media_tokens from services s
      where ${isReferredTo(member)} and s.deleted_at is null)
    select s.agent_tool_name as name
    from named join services s on s.model_family = named.model_family
    left join service_ratings r on r.service_id = s.id and r.is_rated
    where s.llm_dialect = ${dialect} and ${isCallable} and ${isHealthy} and ${isChosen}
    order by ${ORDERS[sort]} ${price}, s.id limit ${limit}`)
  return rows.map(({ name }) => name)
}
