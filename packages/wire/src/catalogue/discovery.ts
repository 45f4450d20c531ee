import { z } from 'zod'
import {
  clamped,
  countOut,
  isObject,
  limitIn,
  type Output,
  plainText,
  success,
  textOut,
  usdcIn,
  usdcOut,
} from '../common.ts'
import { LLM_DIALECTS } from './model-kinds.ts'
import { apiServiceSummary, llmServiceSummary, serviceSummary } from './services.ts'

/** Maximum length of a search text, in UTF-16 code units. Agents may search by whole sentences. */
const TEXT_LENGTH_MAX = 200
const AGENT_TEXT_LENGTH_MAX = 500
/** Maximum length of a tag in a search, that of any tag of a service. */
const TAG_LENGTH_MAX = 40
/** Maximum number of tags in a search. */
const TAGS_MAX = 20
/** Highest page number; pages after the last are empty. */
const PAGE_MAX = 1_000_000
const PAGE_SIZE_MAX = 100
const REGISTRY_PAGE_SIZE_DEFAULT = 10
const SEARCH_PAGE_SIZE_DEFAULT = 20
/** Largest latency filter, in ms: the maximum duration of a call. */
const LATENCY_MS_MAX = 120_000

/** Maximum length of a description in lists, in UTF-16 code units; `GET /services/:id` returns it whole. */
export const EXCERPT_LENGTH_MAX = 500

const text = plainText({ min: 0, max: TEXT_LENGTH_MAX })
const page = clamped({ min: 1, max: PAGE_MAX, absent: 1 })
const pageSize = (absent: number) => clamped({ min: 1, max: PAGE_SIZE_MAX, absent })
const tag = plainText({ min: 0, max: TAG_LENGTH_MAX })

/** Query of `GET /services/discover`. */
export const discoverQuery = z.object({
  limit: limitIn,
  search_query: text.optional().meta({
    description: 'Free text; tolerates misspelt and incomplete words. No wildcards.',
    example: 'weather forecast',
  }),
})

/** Query of `GET /marketplace/registry.json`. Empty texts are ignored. */
export const registryQuery = z.object({
  page: page.meta({ description: 'From 1.' }),
  pageSize: pageSize(REGISTRY_PAGE_SIZE_DEFAULT),
  q: text.optional().meta({
    description: 'Free text over names, summaries, hosts of endpoints, roles and tags.',
    example: 'weather forecast',
  }),
  tag: tag.optional().meta({ description: 'A whole tag, case-insensitive.', example: 'weather' }),
})
export type RegistryQuery = z.output<typeof registryQuery>

/** Sort orders of search results. */
export const SEARCH_SORTS = ['best_match', 'lowest_price', 'fastest', 'highest_reliability'] as const
export type SearchSort = (typeof SEARCH_SORTS)[number]

const share = z.number().min(0).max(1)

const withoutBlanks = (body: unknown): unknown =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== '')) : body

/** Body of `POST /agent/discovery/search`; optional. Members that are null or empty text count as absent. */
export const searchServicesBody = z
  .preprocess(
    withoutBlanks,
    z.object({
      query: plainText({ min: 0, max: AGENT_TEXT_LENGTH_MAX }).nullish().meta({
        description: 'Free text; tolerates misspelt and incomplete words. Absent: all services.',
      }),
      tags: z.array(tag.min(1)).max(TAGS_MAX).nullish().meta({
        description: 'Tags that a service must have, all of them; case-insensitive.',
      }),
      page: page.meta({ description: 'From 1.' }),
      pageSize: pageSize(SEARCH_PAGE_SIZE_DEFAULT),
      sort: z.enum(SEARCH_SORTS).nullish().meta({
        description:
          'Default `best_match`. `lowest_price` compares `typicalPriceUsdc`; `fastest` and `highest_reliability` compare metered calls of the last seven days, and services with too few of them come last.',
      }),
      serviceKind: z.enum(['api', 'llm']).nullish(),
      llmDialect: z.enum(LLM_DIALECTS).nullish(),
      maxPriceUsdc: usdcIn.nullish().meta({ description: 'Highest `typicalPriceUsdc`.' }),
      minSuccessRate: share.nullish().meta({ description: 'Excludes services with too few calls.' }),
      maxLatencyMs: z.int().min(0).max(LATENCY_MS_MAX).nullish().meta({
        description: 'Excludes services with too few calls.',
      }),
    }),
  )
  .nullish()
  .transform(body => body ?? { page: 1, pageSize: SEARCH_PAGE_SIZE_DEFAULT })
/** Parsed {@link searchServicesBody}. */
export type SearchServicesBody = z.output<typeof searchServicesBody>

/** Answer of `GET /services/discover`: a bare array. */
export const discoverAnswer = z.array(serviceSummary).max(PAGE_SIZE_MAX)

/** Throughput of a model. */
export const tokensPerSecond = z.number().min(0).nullable()

/** Statistics of a service's calls. */
export const rated = {
  typicalPriceUsdc: usdcOut.meta({
    description:
      'For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens.',
  }),
  successRate: share.nullable().meta({
    description:
      'Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few.',
  }),
  latencyMs: countOut.nullable().meta({
    description: 'Mean duration of the successful calls, in ms; null while there are too few.',
  }),
  tokensPerSecond: tokensPerSecond.meta({
    description:
      'Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price.',
  }),
}
const foundService = z.union([apiServiceSummary.extend(rated), llmServiceSummary.extend(rated)])
/** A service in search results. */
export type FoundService = Output<typeof foundService>

const found = z.array(foundService).max(PAGE_SIZE_MAX)

/** Answer of `POST /agent/discovery/search`. `results` and `services` are the same list. */
export const searchAnswer = z.object({
  requestId: z.string().max(128).meta({ pattern: '^[\\x20-\\x7e]+$' }),
  count: countOut.max(PAGE_SIZE_MAX),
  page: z.int().min(1).max(PAGE_MAX),
  pageSize: z.int().min(1).max(PAGE_SIZE_MAX),
  totalCount: countOut,
  hasMore: z.boolean(),
  results: found,
  services: found,
})
export type SearchAnswer = Output<typeof searchAnswer>

/** Answer of `GET /marketplace/registry.json`. `q` and `tag` are empty if the query had none. */
export const registryAnswer = z.object({
  status: success,
  query: z.object({
    q: textOut(TEXT_LENGTH_MAX),
    tag: textOut(TAG_LENGTH_MAX),
    page: z.int().min(1).max(PAGE_MAX),
    pageSize: z.int().min(1).max(PAGE_SIZE_MAX),
  }),
  pagination: z.object({
    page: z.int().min(1).max(PAGE_MAX),
    pageSize: z.int().min(1).max(PAGE_SIZE_MAX),
    total: countOut,
    totalPages: countOut,
    hasNextPage: z.boolean(),
    hasPreviousPage: z.boolean(),
  }),
  services: z.array(serviceSummary).max(PAGE_SIZE_MAX),
})
export type RegistryAnswer = Output<typeof registryAnswer>
