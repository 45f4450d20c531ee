import { z } from 'zod'
import {
  exampleId,
  idOut,
  isDeeperThan,
  isoTime,
  LIST_LIMIT_MAX,
  nextCursor,
  pageIn,
  plainText,
  success,
  type Told,
  textOut,
  unixTime,
  usdcOut,
  walletOut,
} from './common.ts'
import {
  cachePriceFields,
  HOLD_BUFFER_BASE,
  HOLD_BUFFER_MAX_BPS,
  holdTermFields,
  LLM_DIALECTS,
  llmFields,
  MAX_OUTPUT_TOKENS_MAX,
  modelFamily,
  PROMPT_TOKENS_MAX,
  priceIn,
  tokenPriceFields,
  UPSTREAM_MODEL_LENGTH_MAX,
} from './llm-terms.ts'
import { shownName } from './names.ts'
import { SIGNATURE_ALGORITHMS } from './signing-secrets.ts'
import { strict } from './strict.ts'

/** Maximum number of targets of a service. */
export const TARGETS_MAX = 8
/** Maximum weight of a target. */
export const TARGET_WEIGHT_MAX = 1_000_000
/** Maximum duration of a call, in ms. */
export const TIMEOUT_MS_MAX = 120_000
/** Default timeout of a call, in ms. */
export const TIMEOUT_MS_DEFAULT = 30_000
/**
 * Maximum length of a free-form member of a manifest (`request`, `response`, `governance`, ...) as JSON, in characters.
 */
export const FREE_FORM_LENGTH_MAX = 65_536

/** Maximum length of a service's name, in UTF-16 code units. */
const NAME_LENGTH_MAX = 80
/** Maximum length of stored names; older ones may exceed the limit above and are returned unchanged. */
const NAME_READ_LENGTH_MAX = 120
const SUMMARY_LENGTH_MAX = 1_000
const DESCRIPTION_LENGTH_MAX = 10_000
const TAGS_MAX = 20
const WARNINGS_MAX = 10
const TEXT_READ_LENGTH_MAX = 1_000
const TAG_LENGTH_MAX = 40
const URL_READ_LENGTH_MAX = 8_192
const UPSTREAM_HEADERS_MAX = 32
const HEADER_NAME_LENGTH_MAX = 128
const HEADER_VALUE_LENGTH_MAX = 4_096
const PROBE_TIMEOUT_MS_MAX = 30_000
const PROBE_THRESHOLD_MAX = 10
const SUCCESS_CODES_MAX = 50
/** HTTP methods of calls. */
const CALL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
/** HTTP methods of probes. */
const PROBE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const

/** A header field name (RFC 9110, 5.1): a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** A header field value (RFC 9110, 5.5): ASCII, so that its encoding is unambiguous, without line breaks. */
const HEADER_VALUE = /^[\x20-\x7e\t]*$/
/** Headers of the connection (RFC 9110, 7.6.1) and headers that the gateway sets. */
export const GATEWAY_HEADERS: ReadonlySet<string> = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade
   expect host content-length content-type content-encoding content-digest accept-encoding idempotency-key
   traceparent tracestate signature signature-input`.split(/\s+/),
)
/** Maximum nesting depth of a free-form member. */
const FREE_FORM_DEPTH_MAX = 64
/** Matches escapes in JSON text that the database cannot store: NUL or half of a surrogate pair. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

/** Unique tool name by which agents call a service. Names that look like service ids are rejected. */
const toolName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'Must be 1 to 64 of a-z, 0-9, _ and -.')
  .refine(name => !name.startsWith('svc_'), 'Must not look like a service id (svc_...).')

const freeForm = z.unknown().superRefine((value, context) => {
  const message = faultOfFreeForm(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
})
const freeFormObject = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const message = faultOfFreeForm(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

/** Which members are required depends on the kind of the service; this schema does not check it. */
const pricing = strict({
  currency: z
    .string()
    .refine(text => text.toUpperCase() === 'USDC', 'Must be USDC.')
    .meta({ enum: ['USDC', 'usdc'] })
    .optional(),
  amount: priceIn.nullish(),
  ...tokenPriceFields,
  ...cachePriceFields,
  ...holdTermFields,
})

/** A read-only member of the record: accepted, so that a returned record can be sent back, but ignored. */
const shownOnly = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: 'Of the record as it is shown. Sending it changes nothing.' })

/** The gateway validates the URL (UNSAFE_TARGET_URL). */
const target = strict({
  url: z.string().min(1).max(URL_READ_LENGTH_MAX).meta({ format: 'uri' }),
  weight: z.number().positive().max(TARGET_WEIGHT_MAX).default(1),
  isHealthy: shownOnly,
})

const method = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z
    .string()
    .transform(text => text.toUpperCase())
    .pipe(z.enum(names))
    .meta({ enum: names })

const invoke = strict({
  method: method(CALL_METHODS).default('POST'),
  targets: z
    .array(target)
    .min(1)
    .max(TARGETS_MAX)
    .refine(
      list => new Set(list.map(({ url }) => url)).size === list.length,
      'Each target URL may stand once.',
    ),
  request: freeFormObject.default({}),
  response: freeFormObject.default({}),
  timeoutMs: z.int().min(1).max(TIMEOUT_MS_MAX).default(TIMEOUT_MS_DEFAULT),
})

const probeThreshold = z.int().min(1).max(PROBE_THRESHOLD_MAX)
const probeFields = {
  path: z
    .string()
    .max(2_048)
    .regex(/^\/(?![/\\])[\x21-\x7e]*$/, 'Must be a path that starts with one slash.')
    .optional()
    .meta({ description: "Relative to the origin of each target; absent: the target's own URL." }),
  timeoutMs: z.int().min(1).max(PROBE_TIMEOUT_MS_MAX).optional(),
  successCodes: z
    .array(z.int().min(100).max(599))
    .min(1)
    .max(SUCCESS_CODES_MAX)
    .optional()
    .meta({ description: 'Statuses that are healthy; absent: every one below 500.' }),
}

const healthCheck = strict({
  ...probeFields,
  method: method(PROBE_METHODS).default('GET'),
  healthyThreshold: probeThreshold
    .default(1)
    .meta({ description: 'Good probes in a row until a target is healthy.' }),
  unhealthyThreshold: probeThreshold
    .default(1)
    .meta({ description: 'Bad probes in a row until a target is not.' }),
})
/** Configuration of the probes of a service; `path` is relative to the origin of each target. */
export type HealthCheck = z.output<typeof healthCheck>

const healthCheckOut = z.object({
  ...probeFields,
  method: z.enum(PROBE_METHODS),
  healthyThreshold: probeThreshold,
  unhealthyThreshold: probeThreshold,
})

const upstreamHeaders = z
  .record(z.string(), z.string().max(HEADER_VALUE_LENGTH_MAX).meta({ pattern: HEADER_VALUE.source }))
  .transform((input, context) => {
    const issue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message, input: undefined })
    const headers: Record<string, string> = {}
    for (const [given, value] of Object.entries(input)) {
      const name = given.toLowerCase()
      if (!HEADER_NAME.test(given) || given.length > HEADER_NAME_LENGTH_MAX)
        issue(given, 'Is no header name.')
      else if (GATEWAY_HEADERS.has(name) || name.startsWith('farebox-'))
        issue(given, 'Is written by the gateway.')
      else if (!HEADER_VALUE.test(value)) issue(given, 'Must be printable ASCII on one line.')
      else if (Object.hasOwn(headers, name)) issue(given, 'Stands twice.')
      else headers[name] = value
    }
    if (Object.keys(input).length > UPSTREAM_HEADERS_MAX)
      issue('', `May hold ${UPSTREAM_HEADERS_MAX} headers.`)
    return headers
  })

const tag = plainText({ min: 1, max: TAG_LENGTH_MAX }).refine(
  text => text.trim() === text,
  'Must not end in spaces.',
)

const fields = {
  serviceName: shownName(NAME_LENGTH_MAX),
  agentToolName: toolName.nullish(),
  summary: plainText({ min: 0, max: SUMMARY_LENGTH_MAX }).nullish(),
  description: plainText({ min: 0, max: DESCRIPTION_LENGTH_MAX }).nullish(),
  tags: z
    .array(tag)
    .max(TAGS_MAX)
    .transform(list => [...new Set(list)])
    .nullish(),
  serviceKind: z.enum(['api', 'llm']).nullish(),
  priceModel: z.enum(['fixed', 'token_metered']).nullish(),
  pricing,
  ...llmFields,
  invoke,
  healthCheck: healthCheck.nullish(),
  upstreamHeaders: upstreamHeaders.nullish(),
  signature: z.enum(SIGNATURE_ALGORITHMS).nullish().meta({
    description:
      'What requests to the targets are signed with: a key of the gateway (Ed25519, the default), or the signing secret of the wallet (HMAC-SHA256), which costs a verifier 3 us in place of 100.',
  }),
  providerProfile: freeFormObject.nullish(),
  payoutAccount: freeForm.nullish(),
  governance: freeFormObject.nullish(),
}

/** `:id` of a service: its id or its agentToolName, or one of its last three names, for 30 days. */
export const serviceParams = z.object({
  id: z
    .string()
    .max(200)
    .meta({
      description:
        'Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them.',
      pattern: '^[a-z0-9_-]{1,64}$',
      example: exampleId('svc'),
    }),
})

/** Query of `GET /services`. */
export const listServicesQuery = pageIn

const serviceStatus = z.enum(['active', 'inactive', 'suspended', 'deleted'])
/** Status of a service. */
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
export type ServiceHealth = Told<typeof serviceHealth>

/** An agentToolName in a response. */
export const toolNameOut = z.string().regex(/^[a-z0-9_-]{1,64}$/)

/** Public members of a service of either kind. */
const anySummary = {
  serviceId: idOut('svc'),
  serviceName: textOut(NAME_READ_LENGTH_MAX),
  agentToolName: toolNameOut.meta({ description: 'Unique; taken wherever a service id is.' }),
  summary: textOut(SUMMARY_LENGTH_MAX),
  description: textOut(DESCRIPTION_LENGTH_MAX),
  tags: z.array(textOut(TAG_LENGTH_MAX)).max(TAGS_MAX),
  status: serviceStatus,
  isActive: z.boolean(),
  runtimeAvailable: z.boolean().meta({ description: 'Whether a call would find a healthy target now.' }),
  targetVerified: z.boolean().meta({
    description:
      'Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed.',
  }),
}

/** Prices in USDC per million tokens, six decimals. */
const tokenPrices = { inputPricePer1MTokensUsdc: usdcOut, outputPricePer1MTokensUsdc: usdcOut }

/** Null: the price of any input token. */
const cachePrices = {
  cacheReadPricePer1M: usdcOut.nullable().meta({
    description: 'Price of a million input tokens that are read from a cache; null: as any input token.',
  }),
  cacheWritePricePer1M: usdcOut.nullable().meta({
    description: 'Price of a million input tokens that are written to a cache; null: as any input token.',
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
    description: 'Input tokens that the hold counts for an image, a sound or a file in base64.',
  }),
  contextTokens: z.int().min(1).max(PROMPT_TOKENS_MAX).nullable().meta({
    description: 'Input tokens that the hold counts for a prompt that names context; null: it takes none.',
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
        'After a raise: callers who assert no price (MCP) pay `amountUntilThen` until `effectiveAt`, and `amount` from then on. `costUsdc` must be `pricing.amount` all the time.',
    }),
}
/** Public view of a service that is priced per call. */
export const apiServiceSummary = z.object(apiServiceFields).meta({ id: 'ApiServiceSummary' })
export type ApiServiceSummary = Told<typeof apiServiceSummary>

const llmServiceFields = {
  ...anySummary,
  ...tokenPrices,
  ...cachePrices,
  serviceKind: z.literal('llm'),
  priceModel: z.literal('token_metered'),
  ...holdTerms,
  llmDialect: z.enum(LLM_DIALECTS),
  modelFamily: modelFamily.nullable().meta({
    description: 'Services of the same family offer the same model; null: it is of none.',
  }),
  pricing: z.object({ ...tokenPrices, currency }),
  scheduledPricing: z
    .object({ ...tokenPrices, ...cachePrices, ...holdTerms, currency, effectiveAt })
    .optional()
    .meta({ description: 'After a raise: the saved terms, which take effect at `effectiveAt`.' }),
}
/** Public view of a service that is priced per token. */
export const llmServiceSummary = z.object(llmServiceFields).meta({ id: 'LlmServiceSummary' })
export type LlmServiceSummary = Told<typeof llmServiceSummary>

/** Public view of a service. */
export const serviceSummary = z.union([apiServiceSummary, llmServiceSummary]).meta({ id: 'ServiceSummary' })
export type ServiceSummary = Told<typeof serviceSummary>

const TARGET_URL_LENGTH_MAX = 2 * URL_READ_LENGTH_MAX
/** A target URL as the gateway calls it. Encoding of non-ASCII characters may make it longer than the given one. */
export const targetUrlOut = z
  .string()
  .max(TARGET_URL_LENGTH_MAX)
  .regex(/^https?:\/\//)

const targetView = z.object({
  url: targetUrlOut,
  weight: z.number().gt(0).max(TARGET_WEIGHT_MAX),
  isHealthy: z.boolean(),
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
    timeoutMs: z.int().min(1).max(TIMEOUT_MS_MAX),
  }),
  healthCheck: healthCheckOut.nullable(),
  hasUpstreamHeaders: z.boolean(),
  signature: z.enum(SIGNATURE_ALGORITHMS),
  providerProfile: keptObject.nullable(),
  payoutAccount: keptFreeForm,
  governance: keptObject.nullable(),
  health: serviceHealth,
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
    }),
  ])
  .meta({ id: 'Service' })
export type ServiceRecord = Told<typeof serviceRecord>

/** `suspended` and `deleted` appear in records that are sent back, and are ignored: providers cannot set them. */
const statusIn = z.enum([...serviceStatus.options, 'paused'])

/** Members of the record that manifests lack. */
const shownFields: object = Object.fromEntries(
  serviceRecord.options
    .flatMap(({ shape }) => Object.keys(shape))
    .filter(name => !Object.hasOwn(fields, name))
    .map(name => [name, shownOnly]),
)

/**
 * Body of `POST /services`: the manifest. Only `serviceName` and `invoke.targets` are required; without `pricing` calls
 * are free. `serviceKind: llm` or `priceModel: token_metered` requires both token prices. `agentToolName` defaults to
 * `serviceId`. `isActive: false` or `status: paused` registers the service without listing it.
 */
export const registerServiceBody = strict({
  ...shownFields,
  ...fields,
  pricing: pricing.nullish(),
  serviceId: toolName.nullish(),
  isActive: z.boolean().nullish(),
  status: statusIn.nullish(),
})
/** Parsed {@link registerServiceBody}: amounts are in micro-USDC, header names in lower case. */
export type RegisterServiceBody = z.output<typeof registerServiceBody>

/**
 * Body of `PUT /services/:id`: each member present replaces the stored one as a whole; null clears an optional one. The
 * kind of a service cannot change. `isActive` takes precedence over `status`, so that a returned record can be sent
 * back with `isActive` changed.
 */
export const updateServiceBody = strict({
  ...shownFields,
  ...fields,
  isActive: z.boolean(),
  status: statusIn,
}).partial()
/** Parsed {@link updateServiceBody}. */
export type UpdateServiceBody = z.output<typeof updateServiceBody>

/** Answer of `POST /services`. `status` is the status of the service. */
export const registeredService = z.object({
  serviceId: idOut('svc'),
  status: serviceStatus,
  agentToolName: toolNameOut,
  service: serviceRecord,
  warnings: z
    .array(textOut(TEXT_READ_LENGTH_MAX))
    .max(WARNINGS_MAX)
    .meta({ description: 'Consequences of the manifest that its provider may not have meant.' }),
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

/**
 * Returns why a free-form value is rejected, or null. Checks the depth first, as serializing JSON of any depth is
 * unsafe.
 */
function faultOfFreeForm(value: unknown): string | null {
  if (isDeeperThan(value, FREE_FORM_DEPTH_MAX)) return `May be nested ${FREE_FORM_DEPTH_MAX} deep.`
  const text = JSON.stringify(value) ?? ''
  if (text.length > FREE_FORM_LENGTH_MAX) return `May be ${FREE_FORM_LENGTH_MAX} characters of JSON.`
  return UNSTORABLE.test(text) ? 'Holds characters that cannot be stored.' : null
}
