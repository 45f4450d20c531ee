const SORTS = ['best_match', 'newest', 'lowest_price', 'fastest', 'highest_reliability'] as const
export type MarketSort = (typeof SORTS)[number]

/** Search parameters of the market. */
export type MarketSearch = {
  readonly q?: string
  readonly tag?: string
  readonly kind?: 'api' | 'llm'
  readonly sort?: MarketSort
  readonly page?: number
}

/** Parses search parameters; invalid values are ignored. */
export function readMarketSearch(given: Record<string, unknown>): MarketSearch {
  const { q, tag, kind, sort, page } = given
  return {
    ...(isText(q) && { q }),
    ...(isText(tag) && { tag }),
    ...((kind === 'api' || kind === 'llm') && { kind }),
    ...(SORTS.includes(sort as MarketSort) && { sort: sort as MarketSort }),
    ...(typeof page === 'number' && Number.isSafeInteger(page) && page > 1 && { page }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
