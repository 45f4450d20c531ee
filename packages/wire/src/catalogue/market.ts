import { z } from 'zod'
import {
  clamped,
  countOut,
  idOut,
  isoTime,
  type Output,
  plainText,
  success,
  textOut,
  usdcIn,
  walletOut,
} from '../common.ts'
import { walletIn } from '../people/auth.ts'
import { USERNAME_LENGTH_MAX } from '../people/profiles.ts'
import { rated, SEARCH_SORTS, tokensPerSecond } from './discovery.ts'
import { encodingOut } from './encodings.ts'
import { healthProbe } from './health.ts'
import { PROMPT_TOKENS_MAX } from './llm-terms.ts'
import { TARGETS_MAX, timeoutFields } from './service-limits.ts'
import { apiServiceSummary, llmServiceSummary } from './services.ts'

// Public market: services with statistics of their calls and probes. No sign-in is required.

const TEXT_LENGTH_MAX = 200
const TAG_LENGTH_MAX = 40
const PAGE_MAX = 10_000
const PAGE_SIZE_MAX = 100
const PAGE_SIZE_DEFAULT = 24
const PATH_PARAMETERS_MAX = 128
const PATH_PARAMETER_LENGTH_MAX = 64
/** Maximum number of tags in the answer, most used first. */
export const TAGS_SHOWN_MAX = 40
/** Number of days in the statistics of a service, including today. */
export const DAYS_SHOWN = 7
/** The same for a single service. */
export const SERVICE_DAYS_SHOWN = 30
/** Maximum number of probes in the answer for each target. */
export const PROBES_SHOWN_MAX = 96

/** Sort orders of the market. */
const SORTS = [...SEARCH_SORTS, 'newest'] as const

/** Query of `GET /market/services`. Empty texts are ignored. */
export const marketQuery = z.object({
  q: plainText({ min: 0, max: TEXT_LENGTH_MAX }).optional().meta({
    description: 'Free text; tolerates misspelt and incomplete words.',
    example: 'weather forecast',
  }),
  tag: plainText({ min: 0, max: TAG_LENGTH_MAX })
    .optional()
    .meta({ description: 'A whole tag, case-insensitive.', example: 'weather' }),
  provider: walletIn.optional().meta({ description: 'Services of this provider only: its wallet address.' }),
  kind: z.enum(['api', 'llm']).optional().meta({ description: 'Priced per call or per token.' }),
  maxPricePerCallUsdc: usdcIn.optional().meta({
    description: 'Highest fixed price; excludes models. An announced rise of a price counts already.',
    example: '0.05',
  }),
  maxInputPricePer1M: usdcIn.optional().meta({
    description:
      'Highest price of a million input tokens, cached or not; excludes services at a fixed price.',
    example: '1',
  }),
  maxOutputPricePer1M: usdcIn.optional().meta({
    description: 'Highest price of a million output tokens; excludes services at a fixed price.',
    example: '5',
  }),
  minContextLength: clamped({ min: 0, max: PROMPT_TOKENS_MAX, absent: 0 }).meta({
    description: 'Smallest context of a model, in tokens; above 0, excludes services that state none.',
  }),
  sort: z.enum(SORTS).optional().meta({
    description: 'Default: `best_match` with a text, `newest` without one.',
  }),
  page: clamped({ min: 1, max: PAGE_MAX, absent: 1 }).meta({ description: 'From 1.' }),
  pageSize: clamped({ min: 1, max: PAGE_SIZE_MAX, absent: PAGE_SIZE_DEFAULT }).meta({
    description: 'Maximum entries per page.',
  }),
})
export type MarketQuery = z.output<typeof marketQuery>

const day = z.object({
  date: z.iso.date().meta({ description: 'UTC.', example: '2026-11-21' }),
  calls: countOut,
  failed: countOut.meta({ description: 'Calls that failed at the provider.' }),
  latencyMs: countOut
    .nullable()
    .meta({ description: 'Mean of the successful calls; null if there were none.' }),
  tokensPerSecond: tokensPerSecond.meta({
    description:
      'Output tokens per second of the calls that a model is rated by, over whole calls; null if there were none.',
  }),
})
/** Metered calls of a service on one day. */
export type MarketDay = Output<typeof day>

const offer = {
  ...rated,
  days: z.array(day).max(DAYS_SHOWN).meta({
    description: 'Metered calls of the last seven days, oldest first.',
  }),
}
const listed = z.union([apiServiceSummary.extend(offer), llmServiceSummary.extend(offer)])

/** Answer of `GET /market/services`. */
export const marketAnswer = z.object({
  status: success,
  pagination: z.object({
    page: z.int().min(1).max(PAGE_MAX),
    pageSize: z.int().min(1).max(PAGE_SIZE_MAX),
    total: countOut,
  }),
  services: z.array(listed).max(PAGE_SIZE_MAX),
})
export type MarketAnswer = Output<typeof marketAnswer>

/** Answer of `GET /market/tags`. */
export const marketTagsAnswer = z.object({
  status: success,
  tags: z.array(z.object({ tag: textOut(TAG_LENGTH_MAX), services: countOut })).max(TAGS_SHOWN_MAX),
})

const form = {
  ...offer,
  provider: textOut(USERNAME_LENGTH_MAX).meta({
    description: 'Username of the provider, chosen by itself: neither verified nor unique.',
  }),
  providerAddress: walletOut.optional().meta({
    description: 'Wallet of the provider, for `provider` of `GET /market/services`.',
  }),
  createdAt: isoTime.meta({ description: 'When the service was registered.' }),
  days: z.array(day).max(SERVICE_DAYS_SHOWN).meta({
    description: 'Metered calls of the last 30 days, oldest first.',
  }),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
  ...timeoutFields,
  ...encodingOut,
  pathParameters: z
    .array(textOut(PATH_PARAMETER_LENGTH_MAX))
    .max(PATH_PARAMETERS_MAX)
    .meta({ description: 'Names that `payload.path` must give, and no other.' }),
  request: z.record(z.string(), z.unknown()).meta({
    description:
      'JSON Schemas of the request under `body`, `query` and `path`, and other members that the provider set.',
  }),
  response: z.record(z.string(), z.unknown()).meta({ description: 'The same for responses.' }),
}

/** Answer of `GET /market/services/:id`. */
export const marketServiceAnswer = z.object({
  status: success,
  service: z.union([apiServiceSummary.extend(form), llmServiceSummary.extend(form)]),
})
export type MarketService = Output<typeof marketServiceAnswer>['service']

const targetDay = day.omit({ latencyMs: true, tokensPerSecond: true })

/** Answer of `GET /market/services/:id/health`: targets by number, as only the owner sees their URLs. */
export const marketHealthAnswer = z.object({
  status: success,
  serviceId: idOut('svc'),
  targets: z
    .array(
      z.object({
        name: textOut(20),
        share: z
          .number()
          .min(0)
          .max(1)
          .meta({ description: 'Share of the calls while all targets are healthy.' }),
        isHealthy: z.boolean(),
        latencyMs: countOut
          .nullable()
          .meta({ description: 'Median of its calls of 30 days; null without any.' }),
        days: z.array(targetDay).max(SERVICE_DAYS_SHOWN).meta({
          description: 'Its calls of the last 30 days, oldest first.',
        }),
        history: z.array(healthProbe).max(PROBES_SHOWN_MAX).meta({ description: 'Newest first.' }),
      }),
    )
    .max(TARGETS_MAX),
})

/** Answer of `GET /market/stats`. */
export const marketStatsAnswer = z.object({
  status: success,
  asOf: isoTime,
  services: countOut.meta({ description: 'Services that can be called now.' }),
  callsLast7Days: countOut.meta({ description: 'Metered calls that were forwarded to providers.' }),
  medianOverheadMs: z.number().min(0).nullable().meta({
    description: 'Median time that this gateway added to paid calls since it started; null before the first.',
  }),
})
export type MarketStats = Output<typeof marketStatsAnswer>
