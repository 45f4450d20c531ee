import type { Usdc } from '@farebox/money'
import type { SearchSort } from '@farebox/wire/discovery'
import type { LlmDialect } from '@farebox/wire/model-kinds'
import type { Deps } from '../../../ports.ts'
import { trueMsOf } from '../pricing/price-notice-rules.ts'
import { type Catalogue, EVERYTHING, type Found } from './catalogue.ts'
import { presentFound } from './listing-present.ts'
import { readListed, readRatings } from './listing-store.ts'

/** Search of an agent; absent and null members do not filter. */
export type ServiceSearch = {
  /** Free text; no wildcards. */
  readonly text: string
  /** Tags that a service must have, all of them; case-insensitive. */
  readonly tags?: readonly string[] | null | undefined
  readonly sort?: SearchSort | null | undefined
  readonly kind?: 'api' | 'llm' | null | undefined
  readonly dialect?: LlmDialect | null | undefined
  /** Maximum price of a typical call. */
  readonly maxPrice?: Usdc | null | undefined
  /** From 0 to 1. */
  readonly minSuccessRate?: number | null | undefined
  readonly maxLatencyMs?: number | null | undefined
  /** Ids and agentToolNames that the credential may call; null: all. */
  readonly among: ReadonlySet<string> | null
}

type SearchDeps = Pick<Deps, 'db'> & { readonly catalogue: Catalogue }

/**
 * Finds services that an agent's credential can call now. Each service is on exactly one page unless the list or its
 * ratings change.
 *
 * @throws GatewayError UNAVAILABLE
 */
export function findServices(deps: SearchDeps, search: ServiceSearch): Promise<Found> {
  const { text, tags, sort, kind, dialect, maxPrice, minSuccessRate, maxLatencyMs, among } = search
  return deps.catalogue.find({
    text: text.trim(),
    filter: {
      ...EVERYTHING,
      tags: [...new Set((tags ?? []).map(tag => tag.trim()))].sort(),
      kind: kind ?? null,
      dialect: dialect ?? null,
      maxPrice: maxPrice ?? null,
      minSuccessRate: minSuccessRate ?? null,
      maxLatencyMs: maxLatencyMs ?? null,
      among: among === null ? null : [...among].sort(),
    },
    sort: sort ?? 'best_match',
  })
}

/**
 * Returns a page of {@link findServices}.
 *
 * @param search.page from 1
 * @returns JSON text: the answer of `POST /agent/discovery/search` without its first member, `requestId`, which the
 * caller adds
 */
export async function searchServices(
  deps: SearchDeps,
  search: ServiceSearch & { readonly page: number; readonly pageSize: number },
): Promise<string> {
  const { page, pageSize } = search
  const found = await findServices(deps, search)
  return deps.catalogue.page(found, `search ${page} ${pageSize}`, async () => {
    const ids = found.ids.slice((page - 1) * pageSize, page * pageSize)
    const [listed, ratings] = await Promise.all([readListed(deps.db, ids), readRatings(deps.db, ids)])
    const services = listed.map(row => presentFound(row, ratings.get(row.id)))
    const counts = { count: services.length, page, pageSize, totalCount: found.ids.length }
    const hasMore = page * pageSize < found.ids.length
    const json = JSON.stringify({ ...counts, hasMore, results: services, services })
    return { json, isWhole: listed.length === ids.length, trueMs: trueMsOf(listed) }
  })
}
