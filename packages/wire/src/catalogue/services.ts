import { z } from 'zod'
import {
  exampleId,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  nextCursor,
  type Output,
  pageIn,
  success,
  textOut,
  unixTime,
  usdcOut,
  walletOut,
} from '../common.ts'
import { SIGNATURE_ALGORITHMS } from '../keys/signing-secrets.ts'
import { encodingOut } from './encodings.ts'
import { healthCheckOut } from './health-check.ts'
import {
  HOLD_BUFFER_BASE,
  HOLD_BUFFER_MAX_BPS,
  inputModalities,
  MAX_OUTPUT_TOKENS_MAX,
  modelFamily,
  OUTPUT_LIMIT_FIELDS,
  PROMPT_TOKENS_MAX,
  UPSTREAM_MODEL_LENGTH_MAX,
} from './llm-terms.ts'
import { LLM_DIALECTS, MODEL_KINDS } from './model-kinds.ts'
import {
  CALL_METHODS,
  DESCRIPTION_LENGTH_MAX,
  NAME_READ_LENGTH_MAX,
  SUMMARY_LENGTH_MAX,
  TAG_LENGTH_MAX,
  TAGS_MAX,
  TARGET_WEIGHT_MAX,
  TARGETS_MAX,
  timeoutFields,
  URL_READ_LENGTH_MAX,
} from './service-limits.ts'

const WARNINGS_MAX = 10
const TEXT_READ_LENGTH_MAX = 1_000

/** `:id` of a service: its id or its agentToolName, or one of its last three names, for 30 days. */
export const serviceParams = z.object({
  id: z
    .string()
    .max(200)
    .meta({
      description: 'Service id or `agentToolName`; the last three former names work for 30 days.',
      pattern: '^[a-z0-9_-]{1,64}$',
      example: exampleId('svc'),
    }),
})

/** Query of `GET /services`. */
export const listServicesQuery = pageIn

/** Status of a service. */
export const serviceStatus = z.enum(['active', 'inactive', 'suspended', 'deleted'])
export type ServiceStatus = z.output<typeof serviceStatus>

/** Combined result of the probes of all targets of a service. */
export const serviceHealth = z
  .object({
    overallStatus: z.enum(['healthy', 'degraded', 'unhealthy', 'unknown']),
    healthyTargets: z.int().min(0).max(TARGETS_MAX),
    totalTargets: z.int().min(0).max(TARGETS_MAX),
    lastCheckedAt: unixTime.nullable().meta({ description: 'Unix seconds; null before the first probe.' }),
    runtimeAvailable: z.boolean(),
  })
  .meta({ id: 'ServiceHealth' })
export type ServiceHealth = Output<typeof serviceHealth>

/** An agentToolName in a response. */
export const toolNameOut = z.string().regex(/^[a-z0-9_-]{1,64}$/)

/** Public members of a service of either kind. */
const anySummary = {
  serviceId: idOut('svc'),
  serviceName: textOut(NAME_READ_LENGTH_MAX),
  agentToolName: toolNameOut.meta({ description: 'Unique; accepted wherever a service id is.' }),
  summary: textOut(SUMMARY_LENGTH_MAX),
  description: textOut(DESCRIPTION_LENGTH_MAX),
  tags: z.array(textOut(TAG_LENGTH_MAX)).max(TAGS_MAX),
  status: serviceStatus,
  isActive: z.boolean(),
  runtimeAvailable: z.boolean().meta({ description: 'Whether a call would find a healthy target now.' }),
  targetVerified: z.boolean().meta({
    description:
      'Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed.',
  }),
}

/** Prices in USDC per million tokens, six decimals. */
const tokenPrices = { inputPricePer1MTokensUsdc: usdcOut, outputPricePer1MTokensUsdc: usdcOut }

/** Null: the price of any input token. */
const cachePrices = {
  cacheReadPricePer1M: usdcOut.nullable().meta({
    description: 'Price per million input tokens read from a cache; null: the input price.',
  }),
  cacheWritePricePer1M: usdcOut.nullable().meta({
    description: 'Price per million input tokens written to a cache; null: the input price.',
  }),
}

const currency = z.literal('USDC')

/** Terms of automatic holds and of counting prompt tokens. */
const holdTerms = {
  defaultMaxOutputTokens: z.int().min(1).max(MAX_OUTPUT_TOKENS_MAX),
  maxAutoHoldUsdc: usdcOut,
  holdBufferMultiplier: z
    .number()
    .min(1)
    .max(HOLD_BUFFER_MAX_BPS / HOLD_BUFFER_BASE),
  mediaTokens: z.int().min(1).max(PROMPT_TOKENS_MAX).meta({
    description: 'Input tokens held for an image, a sound or a file in base64.',
  }),
  contextTokens: z.int().min(1).max(PROMPT_TOKENS_MAX).nullable().meta({
    description: 'Input tokens held for a prompt that refers to context; null: such prompts are refused.',
  }),
}

const effectiveAt = isoTime.meta({ description: 'When the higher terms take effect.' })

const apiServiceFields = {
  ...anySummary,
  serviceKind: z.literal('api'),
  priceModel: z.literal('fixed'),
  pricing: z.object({ amount: usdcOut, currency }),
  scheduledPricing: z
    .object({ amount: usdcOut, currency, amountUntilThen: usdcOut, effectiveAt })
    .optional()
    .meta({
      description:
        'After a raise: callers who send no price (MCP) pay `amountUntilThen` until `effectiveAt`, then `amount`. `costUsdc` must always be `pricing.amount`.',
    }),
}
/** Public view of a service that is priced per call. */
export const apiServiceSummary = z.object(apiServiceFields).meta({ id: 'ApiServiceSummary' })
export type ApiServiceSummary = Output<typeof apiServiceSummary>

const llmServiceFields = {
  ...anySummary,
  ...tokenPrices,
  ...cachePrices,
  serviceKind: z.literal('llm'),
  priceModel: z.literal('token_metered'),
  ...holdTerms,
  llmDialect: z.enum(LLM_DIALECTS),
  modelKind: z.enum(MODEL_KINDS).meta({
    description: '`embeddings`: takes `input` at `POST /v1/embeddings` only; `chat`: any other model.',
  }),
  modelFamily: modelFamily.nullable().meta({
    description: 'Services of the same family offer the same model; null: it is of none.',
  }),
  inputModalities: inputModalities.nullable().meta({
    description: 'What the model takes as input, as its provider states it; null: not stated.',
  }),
  pricing: z.object({ ...tokenPrices, currency }),
  scheduledPricing: z
    .object({ ...tokenPrices, ...cachePrices, ...holdTerms, currency, effectiveAt })
    .optional()
    .meta({ description: 'After a raise: the saved terms, which take effect at `effectiveAt`.' }),
}
/** Public view of a service that is priced per token. */
export const llmServiceSummary = z.object(llmServiceFields).meta({ id: 'LlmServiceSummary' })
export type LlmServiceSummary = Output<typeof llmServiceSummary>

/** Public view of a service. */
export const serviceSummary = z.union([apiServiceSummary, llmServiceSummary]).meta({ id: 'ServiceSummary' })
export type ServiceSummary = Output<typeof serviceSummary>

const SUSPENSION_REASON_LENGTH_MAX = 1_000
const TARGET_URL_LENGTH_MAX = 2 * URL_READ_LENGTH_MAX
/** A target URL as the gateway calls it. Encoding of non-ASCII characters may make it longer than the given one. */
export const targetUrlOut = z
  .string()
  .max(TARGET_URL_LENGTH_MAX)
  .regex(/^https?:\/\//)

const targetView = z.object({
  url: targetUrlOut,
  weight: z.number().gt(0).max(TARGET_WEIGHT_MAX),
  healthPath: z.string().max(2_048).regex(/^\//).nullable(),
  isHealthy: z.boolean(),
  lastCheckedAt: unixTime.nullable().meta({ description: 'Unix seconds; null before its first probe.' }),
})

/** JSON that the provider gave with the manifest; null if none. */
const keptFreeForm = z.unknown()
const keptObject = z.record(z.string(), z.unknown())

/** Members that only the owner of a service sees. `upstreamHeaders` are never returned. */
const ownerView = {
  ownerAddress: walletOut,
  invoke: z.object({
    method: z.enum(CALL_METHODS),
    targets: z.array(targetView).max(TARGETS_MAX),
    request: keptObject,
    response: keptObject,
    ...timeoutFields,
    ...encodingOut,
  }),
  healthCheck: healthCheckOut.nullable(),
  hasUpstreamHeaders: z.boolean(),
  signature: z.enum(SIGNATURE_ALGORITHMS),
  providerProfile: keptObject.nullable(),
  payoutAccount: keptFreeForm,
  governance: keptObject.nullable(),
  health: serviceHealth,
  suspension: z
    .object({ suspendedAt: isoTime, reason: textOut(SUSPENSION_REASON_LENGTH_MAX).nullable() })
    .nullable()
    .meta({ description: 'Null while it is not suspended.' }),
  createdAt: isoTime,
  updatedAt: isoTime,
}

/** A service as returned to its owner. */
export const serviceRecord = z
  .union([
    z.object({ ...apiServiceFields, ...ownerView }),
    z.object({
      ...llmServiceFields,
      ...ownerView,
      upstreamModel: textOut(UPSTREAM_MODEL_LENGTH_MAX).nullable(),
      outputLimitField: z.enum(OUTPUT_LIMIT_FIELDS).nullable(),
    }),
  ])
  .meta({ id: 'Service' })
export type ServiceRecord = Output<typeof serviceRecord>

/** Answer of `POST /services`. `status` is the status of the service. */
export const registeredService = z.object({
  serviceId: idOut('svc'),
  status: serviceStatus,
  agentToolName: toolNameOut,
  service: serviceRecord,
  warnings: z
    .array(textOut(TEXT_READ_LENGTH_MAX))
    .max(WARNINGS_MAX)
    .meta({ description: 'Consequences of the manifest that may be unintended.' }),
})

/** Answer of `GET /services` and `GET /provider/services`. */
export const servicesPage = z.object({
  status: success,
  services: z.array(serviceRecord).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** Answer of `GET /services/:id`: the full record for its owner, the summary for others. */
export const shownService = z.object({
  status: success,
  serviceId: idOut('svc'),
  service: z.union([serviceRecord, serviceSummary]),
})

/** Answer of `PUT /services/:id`. */
export const updatedService = z.object({
  status: success,
  serviceId: idOut('svc'),
  isActive: z.boolean(),
  service: serviceRecord,
})

/** Answer of `DELETE /services/:id`. */
export const deletedService = z.object({
  status: success,
  serviceId: idOut('svc'),
  message: textOut(200),
})
