import { z } from 'zod'
import { isDeeperThan, limitIn, pageIn, plainText } from './common.ts'
import { type LlmDialect, llmFields, priceIn, tokenPriceFields } from './llm-terms.ts'

/** Most targets of one service. */
export const TARGETS_MAX = 8
/** Largest weight of a target. */
export const TARGET_WEIGHT_MAX = 1_000_000
/** Longest time a call may take, in ms. */
export const TIMEOUT_MS_MAX = 120_000
/** Time a call may take when the manifest does not say, in ms. */
export const TIMEOUT_MS_DEFAULT = 30_000
/** Largest free-form member of a manifest (`request`, `response`, `governance`, ...) as JSON, in characters. */
export const FREE_FORM_LENGTH_MAX = 65_536

const NAME_LENGTH_MAX = 120
const SUMMARY_LENGTH_MAX = 1_000
const DESCRIPTION_LENGTH_MAX = 10_000
const TAGS_MAX = 20
const TAG_LENGTH_MAX = 40
const URL_READ_LENGTH_MAX = 8_192
const UPSTREAM_HEADERS_MAX = 32
const HEADER_NAME_LENGTH_MAX = 128
const HEADER_VALUE_LENGTH_MAX = 4_096
const PROBE_TIMEOUT_MS_MAX = 30_000
const PROBE_THRESHOLD_MAX = 10
const SUCCESS_CODES_MAX = 50
const SEARCH_LENGTH_MAX = 200

/** Header fields (RFC 9110, 5.1): a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** A field value (RFC 9110, 5.5) without line breaks, in ASCII, so that nobody has to guess its encoding. */
const HEADER_VALUE = /^[\x20-\x7e\t]*$/
/** Headers that belong to the connection (RFC 9110, 7.6.1) or that the gateway writes itself. */
const GATEWAY_HEADERS: ReadonlySet<string> = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade
   expect host content-length content-type content-encoding content-digest accept-encoding idempotency-key
   traceparent tracestate signature signature-input`.split(/\s+/),
)
/** Deepest nesting of a free-form member. */
const FREE_FORM_DEPTH_MAX = 64
/** In JSON text: NUL or half of a surrogate pair, neither of which the database stores. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

/** A unique tool name: what agents call a service by. Names like service ids are not given away. */
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

/** Which of its members a service must have depends on its kind, which this does not know. */
const pricing = z.object({
  currency: z
    .string()
    .refine(text => text.toUpperCase() === 'USDC', 'Must be USDC.')
    .optional(),
  amount: priceIn.nullish(),
  ...tokenPriceFields,
})

/** The URL is judged by the gateway (UNSAFE_TARGET_URL), not here. */
const target = z.object({
  url: z.string().min(1).max(URL_READ_LENGTH_MAX),
  weight: z.number().positive().max(TARGET_WEIGHT_MAX).default(1),
})

const method = (names: readonly [string, ...string[]]) =>
  z
    .string()
    .transform(text => text.toUpperCase())
    .pipe(z.enum(names))

const invoke = z.object({
  method: method(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']).default('POST'),
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

const healthCheck = z.object({
  path: z
    .string()
    .max(2_048)
    .regex(/^\/(?![/\\])[\x21-\x7e]*$/, 'Must be a path that starts with one slash.')
    .optional(),
  method: method(['GET', 'HEAD', 'POST', 'OPTIONS']).default('GET'),
  timeoutMs: z.int().min(1).max(PROBE_TIMEOUT_MS_MAX).optional(),
  successCodes: z.array(z.int().min(100).max(599)).min(1).max(SUCCESS_CODES_MAX).optional(),
  healthyThreshold: z.int().min(1).max(PROBE_THRESHOLD_MAX).default(1),
  unhealthyThreshold: z.int().min(1).max(PROBE_THRESHOLD_MAX).default(1),
})
/** How a service wants to be probed; `path` is relative to the origin of each target. */
export type HealthCheck = z.output<typeof healthCheck>

const upstreamHeaders = z
  .record(z.string(), z.string().max(HEADER_VALUE_LENGTH_MAX))
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
  serviceName: plainText({ min: 1, max: NAME_LENGTH_MAX }).refine(
    text => text.trim() !== '',
    'Must not be blank.',
  ),
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
  providerProfile: freeFormObject.nullish(),
  payoutAccount: freeForm.nullish(),
  governance: freeFormObject.nullish(),
}

/**
 * Body of `POST /services`: the manifest. Only `serviceName` and `invoke.targets` must be there; without `pricing`
 * a call is free. With `serviceKind: llm` or `priceModel: token_metered`, tokens are paid for, and both their prices
 * must be there. `serviceId` is taken as `agentToolName` when that is absent. What else is sent (owner, status, ...)
 * is not read.
 */
export const registerServiceBody = z.object({
  ...fields,
  pricing: pricing.nullish(),
  serviceId: toolName.nullish(),
})
/** {@link registerServiceBody} as read: amounts in micro-USDC, header names in lower case. */
export type RegisterServiceBody = z.output<typeof registerServiceBody>

/**
 * Body of `PUT /services/:id`: each member that is there replaces the whole of it; null clears an optional one. The
 * kind of a service stays what it is.
 */
export const updateServiceBody = z.object({ ...fields, isActive: z.boolean() }).partial()
/** {@link updateServiceBody} as read. */
export type UpdateServiceBody = z.output<typeof updateServiceBody>

/** `:id` of a service: its id or any agentToolName it ever had. */
export const serviceParams = z.object({ id: z.string().max(200) })

/** Query of `GET /services`. */
export const listServicesQuery = pageIn

/** Query of `GET /services/discover`. */
export const discoverQuery = z.object({
  limit: limitIn,
  search_query: plainText({ min: 0, max: SEARCH_LENGTH_MAX }).optional(),
})

/** Where a service stands. */
export type ServiceStatus = 'active' | 'inactive' | 'suspended' | 'deleted'

/** What the probes say of all targets of a service together. */
export type ServiceHealth = {
  readonly overallStatus: 'healthy' | 'degraded' | 'unhealthy' | 'unknown'
  readonly healthyTargets: number
  readonly totalTargets: number
  /** Unix seconds; null before the first probe. */
  readonly lastCheckedAt: number | null
  readonly runtimeAvailable: boolean
}

/** What anybody may see of a service of either kind. */
type AnySummary = {
  readonly serviceId: string
  readonly serviceName: string
  readonly agentToolName: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly status: ServiceStatus
  readonly isActive: boolean
  readonly runtimeAvailable: boolean
}

/** Prices in USDC per million tokens, six decimals. */
type TokenPrices = {
  readonly inputPricePer1MTokensUsdc: string
  readonly outputPricePer1MTokensUsdc: string
}

/** A service that is paid by the call, as anybody may see it. */
export type ApiServiceSummary = AnySummary & {
  readonly serviceKind: 'api'
  readonly priceModel: 'fixed'
  readonly pricing: { readonly amount: string; readonly currency: 'USDC' }
}

/** A service that is paid by the token, as anybody may see it. */
export type LlmServiceSummary = AnySummary &
  TokenPrices & {
    readonly serviceKind: 'llm'
    readonly priceModel: 'token_metered'
    readonly defaultMaxOutputTokens: number
    readonly maxAutoHoldUsdc: string
    readonly holdBufferMultiplier: number
    readonly llmDialect: LlmDialect
    readonly pricing: TokenPrices & { readonly currency: 'USDC' }
  }

/** A service as anybody may see it. */
export type ServiceSummary = ApiServiceSummary | LlmServiceSummary

/** What only the owner of a service sees. `upstreamHeaders` are never shown again. */
type OwnerView = {
  readonly ownerAddress: string
  readonly invoke: {
    readonly method: string
    readonly targets: readonly {
      readonly url: string
      readonly weight: number
      readonly isHealthy: boolean
    }[]
    readonly request: Readonly<Record<string, unknown>>
    readonly response: Readonly<Record<string, unknown>>
    readonly timeoutMs: number
  }
  readonly healthCheck: HealthCheck | null
  readonly hasUpstreamHeaders: boolean
  readonly providerProfile: unknown
  readonly payoutAccount: unknown
  readonly governance: unknown
  readonly health: ServiceHealth
  readonly createdAt: string
  readonly updatedAt: string
}

/** A service as its owner sees it. */
export type ServiceRecord =
  | (ApiServiceSummary & OwnerView)
  | (LlmServiceSummary & OwnerView & { readonly upstreamModel: string | null })

/** Why a free-form value is not kept; null when it is. Depth first: writing JSON of any depth is not safe. */
function faultOfFreeForm(value: unknown): string | null {
  if (isDeeperThan(value, FREE_FORM_DEPTH_MAX)) return `May be nested ${FREE_FORM_DEPTH_MAX} deep.`
  const text = JSON.stringify(value) ?? ''
  if (text.length > FREE_FORM_LENGTH_MAX) return `May be ${FREE_FORM_LENGTH_MAX} characters of JSON.`
  return UNSTORABLE.test(text) ? 'Holds characters that cannot be stored.' : null
}
