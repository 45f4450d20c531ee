const SORTS = ['best_match', 'newest', 'lowest_price', 'fastest', 'highest_reliability'] as const
export type MarketSort = (typeof SORTS)[number]

/** Search parameters of the market. */
export type MarketSearch = {
  readonly q?: string
  readonly tag?: string
  readonly kind?: 'api' | 'llm'
  readonly sort?: MarketSort
  readonly page?: number
  /** Models chosen for comparison. */
  readonly compare?: readonly string[]
}

/** Models that can be compared at once. */
export const COMPARED_MAX = 4

/** Search parameters of the comparison. */
export type CompareSearch = { readonly ids?: readonly string[] }

/** Parses the names of compared models; the first ones count. */
export function readCompareSearch({ ids }: Record<string, unknown>): CompareSearch {
  const named = readNames(ids)
  return named.length === 0 ? {} : { ids: named }
}

function readNames(given: unknown): readonly string[] {
  const list = Array.isArray(given) ? given : typeof given === 'string' ? given.split(',') : []
  return [...new Set(list.filter(isText))].slice(0, COMPARED_MAX)
}

/** Parses search parameters; invalid values are ignored. */
export function readMarketSearch(given: Record<string, unknown>): MarketSearch {
  const { q, tag, kind, sort, page } = given
  const compare = readNames(given.compare)
  return {
    ...(isText(q) && { q }),
    ...(isText(tag) && { tag }),
    ...((kind === 'api' || kind === 'llm') && { kind }),
    ...(SORTS.includes(sort as MarketSort) && { sort: sort as MarketSort }),
    ...(typeof page === 'number' && Number.isSafeInteger(page) && page > 1 && { page }),
    ...(compare.length > 0 && { compare }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
