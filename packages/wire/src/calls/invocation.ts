import { z } from 'zod'
import {
  atMost,
  idOut,
  isoTime,
  type Output,
  pathIdIn,
  requestText,
  textOut,
  usdcIn,
  usdcOut,
} from '../common.ts'

const IDEMPOTENCY_KEY_LENGTH_MAX = 255
/** Maximum number of query parameters of a call. */
const QUERY_PARAMETERS_MAX = 100
/** Maximum length of a query value in the contract; longer ones exceed the limit of the whole request. */
const QUERY_TEXT_LENGTH_MAX = 65_536

/** An idempotency key: 1 to 255 printable ASCII characters, no blank at either end. */
export const idempotencyKeyIn = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/, 'Must be 1 to 255 printable characters.')
  .meta({ maxLength: IDEMPOTENCY_KEY_LENGTH_MAX })

/** An integer that a number cannot hold is sent as its text. */
const scalar = z.preprocess(
  value => (typeof value === 'bigint' ? String(value) : value),
  z.union([
    z.string().meta({ maxLength: QUERY_TEXT_LENGTH_MAX, pattern: '^[^\\u0000]*$' }),
    z.number(),
    z.boolean(),
  ]),
)

/** Maximum number of values for placeholders of a target's path. */
const PATH_VALUES_MAX = 100

/** Makes a member optional. Null counts as absent, as clients with optional fields send it. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform(value => value ?? undefined)

/**
 * Body of POST /agent/invoke. Amounts are read as micro-USDC. Unknown members of `payload` are rejected, as they would
 * not reach the provider.
 */
export const invokeIn = z.object({
  serviceId: z
    .string()
    .min(1)
    .max(128)
    .meta({ description: 'A service id or an agentToolName.', pattern: '^[^\\u0000]*$', example: 'weather' }),
  idempotencyKey: optional(idempotencyKeyIn).meta({
    description: 'Unique per credential. A repeated call with the same key is charged once.',
    example: 'order-4711',
  }),
  costUsdc: optional(usdcIn).meta({
    description: 'Fixed-price services: the exact price that discovery shows.',
    example: '0.050000',
  }),
  maxCostUsdc: optional(usdcIn).meta({
    description:
      'Maximum cost of the call. LLM services: held instead of the automatic amount; may lower the output token limit. Below a fixed price: PRICE_MISMATCH.',
    example: '0.500000',
  }),
  responseMode: optional(z.enum(['sync', 'stream'])).meta({ description: '`sync` when absent.' }),
  payload: z
    .strictObject({
      body: optional(
        z.union([z.record(z.string(), z.unknown()), requestText], {
          error: ({ input }) =>
            `expected an object, received ${Array.isArray(input) ? 'array' : typeof input}`,
        }),
      ).meta({
        description:
          'Forwarded to the provider in the `encoding` of the service, a string if that is `text`. LLM services: the request to the model.',
      }),
      query: optional(
        atMost(
          QUERY_PARAMETERS_MAX,
          z.record(z.string(), z.union([scalar, z.array(scalar).max(QUERY_PARAMETERS_MAX)])),
          'Too many query parameters.',
        ),
      ).meta({
        description: "Added to the query string of the provider's target. An array repeats its parameter.",
      }),
      path: optional(atMost(PATH_VALUES_MAX, z.record(z.string(), scalar), 'Too many path parameters.')).meta(
        { description: "Values for the placeholders in the path of the provider's target." },
      ),
    })
    .nullish()
    .transform(payload => payload ?? { body: undefined, query: undefined, path: undefined }),
})

/** Members of `payload` that clients put beside it by mistake, under these names. */
const MISPLACED = {
  body: 'body',
  arguments: 'body',
  input: 'body',
  params: 'body',
  query: 'query',
  path: 'path',
} as const

/** Returns a message about arguments that are not in `payload`, so that the provider would not get them; null: none. */
export function misplacedArgument(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null
  const given = body as Readonly<Record<string, unknown>>
  const payload = given.payload as Readonly<Record<string, unknown>> | null | undefined
  const found = Object.entries(MISPLACED).find(([name, to]) => given[name] != null && payload?.[to] == null)
  if (found === undefined) return null
  const [name, to] = found
  return `Unknown member "${name}". The provider's ${to} goes into payload.${to}. Nothing was charged.`
}

/** A parsed call. */
export type InvokeInput = z.output<typeof invokeIn>

/** Path of GET /agent/invocations/:id. */
export const invocationPathIn = z.object({ id: pathIdIn('inv') })

/** Statuses of an invocation. */
export const invocationStatuses = [
  'PENDING',
  'PROCESSING',
  'SUCCEEDED',
  'FAILED_RETRYABLE',
  'FAILED_FINAL',
] as const
export const invocationStatus = z.enum(invocationStatuses).meta({
  description:
    'PENDING: held and running. PROCESSING: a model answered, and its usage is awaited. SUCCEEDED: charged. ' +
    'FAILED_RETRYABLE and FAILED_FINAL: released, nothing is charged.',
})
export type InvocationStatus = z.output<typeof invocationStatus>

/** Largest plausible token count of a call. */
export const TOKENS_MAX = 100_000_000
/** Maximum number of attempts in a response; more than a call can make. */
export const ATTEMPTS_MAX = 8
/** Maximum number of issues in a response; more than a result has. */
const RESPONSE_ISSUES_MAX = 100
const ISSUE_LENGTH_MAX = 10_000

/** A count of tokens. */
export const tokensOut = z.int().min(0).max(TOKENS_MAX)

/** Tokens of a call as reported by its provider, including cached and reasoning tokens. Whole numbers that add up. */
export const tokenUsage = z
  .object({
    inputTokens: tokensOut,
    outputTokens: tokensOut,
    totalTokens: tokensOut,
    cacheReadTokens: tokensOut.optional().meta({
      description: 'Input tokens read from a cache. Absent in the stored answers of older gateways.',
    }),
    cacheWriteTokens: tokensOut.optional().meta({
      description: 'Input tokens written to a cache. Absent in the stored answers of older gateways.',
    }),
    statedTotalTokens: tokensOut.optional().meta({
      description:
        'Total stated by the provider. Present only if it differs from input plus output, which are charged.',
    }),
  })
  .meta({ id: 'TokenUsage' })
/** Usage with all counts known. */
export type Usage = Output<typeof tokenUsage> & {
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** Receipt of a call; hashes are SHA-256 in hex. */
export const receipt = z
  .object({
    invocationId: idOut('inv'),
    serviceId: idOut('svc'),
    credentialId: idOut('cred'),
    startedAt: isoTime,
    finishedAt: isoTime.nullable(),
    latencyMs: z.int().min(0).nullable(),
    attempts: z.int().min(0).max(ATTEMPTS_MAX).meta({ description: 'Number of targets tried.' }),
    requestHash: sha256,
    responseHash: sha256.nullable(),
    usage: tokenUsage.optional().meta({ description: 'LLM services: the tokens, once known.' }),
  })
  .meta({ id: 'Receipt' })
export type Receipt = Output<typeof receipt>

const responseIssue = z.object({ path: textOut(ISSUE_LENGTH_MAX), message: textOut(ISSUE_LENGTH_MAX) })
const receiptOfAnswer = receipt.extend({
  responseIssues: z
    .array(responseIssue)
    .max(RESPONSE_ISSUES_MAX)
    .optional()
    .meta({ description: "How the result violates the service's own schema; absent if it fits." }),
})

/** Billing block of a metered call. */
export const billingBlock = z
  .object({
    priceModel: z.literal('token_metered'),
    holdUsdc: usdcOut,
    chargedUsdc: usdcOut,
    releasedUsdc: usdcOut,
    preAuthMode: z.enum(['explicit', 'auto']).meta({ description: '`explicit`: by maxCostUsdc.' }),
    capped: z.literal(true).optional().meta({
      description:
        'The reported tokens cost more than the hold, or exceed what the call can have used; the charge was capped.',
    }),
  })
  .meta({ id: 'BillingBlock' })
export type BillingBlock = Output<typeof billingBlock>

const succeeded = {
  invocationId: idOut('inv'),
  status: z.literal('SUCCEEDED'),
  chargedUsdc: usdcOut,
  usage: tokenUsage.optional().meta({ description: 'LLM services.' }),
  gateway: billingBlock.optional().meta({ description: 'LLM services: the bill.' }),
  answerExpired: z.literal(true).optional().meta({
    description: 'Present when the result is no longer stored: `result` and `receipt.responseHash` are null.',
  }),
  receipt: receiptOfAnswer,
  result: z.unknown().meta({
    type: ['object', 'null'],
    description:
      "The provider's JSON, or `{value}` around a bare array or scalar, or `{contentType, text}` or " +
      '`{contentType, base64}` of another type; null if it was streamed or is no longer stored.',
  }),
}

/** Answer of `POST /agent/invoke`, as a body or as the `gateway` event of a stream. */
export const invocationResult = z.object(succeeded)

const money = { holdUsdc: usdcOut, releasedUsdc: usdcOut }

/** Answer of `GET /agent/invocations/:id`: the stored answer, or the status of the call and its reason. */
export const shownInvocation = z.union([
  z.object({ ...succeeded, ...money }),
  z.object({
    invocationId: idOut('inv'),
    status: invocationStatus,
    chargedUsdc: usdcOut,
    ...money,
    error: z
      .looseObject({ code: z.string().regex(/^[A-Z_]{1,64}$/) })
      .optional()
      .meta({ description: '`detail` of the error response, with its `requestId`.' }),
    receipt,
  }),
])
