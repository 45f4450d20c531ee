import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import type { SummaryRow } from '../present.ts'
import type { PriceState } from '../pricing/price-notice-rules.ts'
import { type PricingColumns, priceStateOf, pricingColumns } from '../pricing/pricing-store.ts'
import { isCallable } from '../store.ts'
import type { Rating } from './rating-rules.ts'

/** A listed service, with its members for lists. */
export type ListedRow = SummaryRow & {
  /** In micro-USDC. */
  readonly typicalPrice: bigint
}

/** Call statistics of a service. */
export type ListedRating = Pick<Rating, 'successRate' | 'latencyMs' | 'tokensPerSecond'>

/** Returns the services that are still listed, in the order of the ids. */
export async function readListed(db: Queryable, ids: readonly string[]): Promise<ListedRow[]> {
  if (ids.length === 0) return []
  type Raw = Omit<ListedRow, keyof PriceState | 'targets'> & PricingColumns & { targetUrls: string[] }
  const rows = await db.query<Raw>(sql`
    select s.id, s.agent_tool_name, s.service_name, s.summary, s.description,
      s.tags, ${pricingColumns}, s.is_active, s.suspended_at,
      s.deleted_at, s.targets_verified, found.typical_price,
      array(select t.url from service_targets t where t.service_id = s.id) as target_urls
    from unnest(${ids}::text[]) with ordinality as asked (id, position)
    join service_search found on found.service_id = asked.id and found.is_listed
    join services s on s.id = asked.id
    where ${isCallable}
    order by asked.position`)
  return rows.map(({ targetUrls, ...row }) => ({
    ...row,
    ...priceStateOf(row),
    // Listed services have a healthy target; which one does not matter here.
    targets: targetUrls.map(url => ({ url, isHealthy: true, lastProbedAt: null })),
  }))
}

/** Returns the call statistics of services; those with too few calls are absent. */
export async function readRatings(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ListedRating>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<ListedRating & { id: string }>(sql`
    select service_id as id, success_rate, latency_ms, tokens_per_second from service_ratings
    where service_id = any(${ids}::text[]) and is_rated`)
  return new Map(rows.map(({ id, ...rating }) => [id, rating]))
}
