import { readText } from '../../ui/state/search.ts'
import { ADDRESS } from '../../ui/values/address.tsx'

const SORTS = ['best_match', 'newest', 'lowest_price', 'fastest', 'highest_reliability'] as const
export type MarketSort = (typeof SORTS)[number]

/** Search parameters of the market. */
export type MarketSearch = {
  readonly q?: string
  readonly tag?: string
  /** Wallet of a provider. */
  readonly provider?: string
  readonly kind?: 'api' | 'llm'
  readonly sort?: MarketSort
  readonly page?: number
  /** Maximum price of a call of an API, in USDC. */
  readonly maxCall?: number
  /** Maximum prices of a million tokens of a model, in USDC. */
  readonly maxInput?: number
  readonly maxOutput?: number
  /** Minimum context of a model, in tokens. */
  readonly minContext?: number
  /** Models chosen for comparison. */
  readonly compare?: readonly string[]
}

/** Labels of the kinds of services. */
export const kindLabels = { api: 'APIs', llm: 'Models' } as const

/**
 * The limits of prices: the kind of service that each is for and implies, its label, what it is a price of, and the
 * accessible name of its field.
 */
export const PRICES = {
  maxCall: { kind: 'api', label: 'Price', unit: 'call', meaning: 'Price at most, USDC per call' },
  maxInput: { kind: 'llm', label: 'Input', unit: '1M', meaning: 'Input price at most, USDC per 1M tokens' },
  maxOutput: {
    kind: 'llm',
    label: 'Output',
    unit: '1M',
    meaning: 'Output price at most, USDC per 1M tokens',
  },
} as const
/** All limits. */
const LIMITS = { ...PRICES, minContext: { kind: 'llm' } } as const
export type PriceName = keyof typeof PRICES
export type LimitName = keyof typeof LIMITS
export const priceNames = Object.keys(PRICES) as PriceName[]
export const limitNames = Object.keys(LIMITS) as LimitName[]
/** Clears every limit. */
export const NO_LIMITS = Object.fromEntries(limitNames.map(name => [name, undefined]))

const USDC_MAX = 1_000_000
const CONTEXT_MAX = 10_000_000

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
  const names = [given].flat().flatMap(each => readText(each)?.match(/[^,]+/g) ?? [])
  return [...new Set(names)].slice(0, COMPARED_MAX)
}

/** Parses search parameters; invalid values are ignored, and limits of another kind than the chosen one. */
export function readMarketSearch(given: Record<string, unknown>): MarketSearch {
  const { provider, sort, page } = given
  const [q, tag] = [readText(given.q), readText(given.tag)]
  const limits = limitNames.filter(name => isLimit(name, given[name]))
  const last = limits.at(-1)
  const implied = last === undefined ? undefined : LIMITS[last].kind
  const kind = given.kind === 'api' || given.kind === 'llm' ? given.kind : implied
  const compare = readNames(given.compare)
  return {
    ...(q !== undefined && { q }),
    ...(tag !== undefined && { tag }),
    ...(typeof provider === 'string' && ADDRESS.test(provider) && { provider }),
    ...(kind !== undefined && { kind }),
    ...Object.fromEntries(
      limits.flatMap(name => (LIMITS[name].kind === kind ? [[name, Number(given[name])]] : [])),
    ),
    ...(SORTS.includes(sort as MarketSort) && { sort: sort as MarketSort }),
    ...(typeof page === 'number' && Number.isSafeInteger(page) && page > 1 && { page }),
    ...(compare.length > 0 && { compare }),
  }
}

/** Returns the query of `GET /market/services` for a search. */
export function marketQueryOf({
  maxCall,
  maxInput,
  maxOutput,
  minContext,
  compare: _,
  ...same
}: MarketSearch) {
  return {
    ...same,
    ...(maxCall !== undefined && { maxPricePerCallUsdc: writeUsdc(maxCall) }),
    ...(maxInput !== undefined && { maxInputPricePer1M: writeUsdc(maxInput) }),
    ...(maxOutput !== undefined && { maxOutputPricePer1M: writeUsdc(maxOutput) }),
    ...(minContext !== undefined && { minContextLength: minContext }),
  }
}

const USDC_DECIMALS = 6
const writeUsdc = (usdc: number) => usdc.toFixed(USDC_DECIMALS)

function isLimit(name: LimitName, value: unknown): boolean {
  if (typeof value !== 'number') return false
  if (name === 'minContext') return Number.isSafeInteger(value) && value > 0 && value <= CONTEXT_MAX
  return value >= 0 && value <= USDC_MAX && Number(writeUsdc(value)) === value
}
