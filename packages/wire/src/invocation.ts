import { z } from 'zod'
import { cursorIn, limitIn, plainText, usdcIn } from './common.ts'

/** Most query parameters of one call. */
const QUERY_PARAMETERS_MAX = 100

/** An idempotency key as callers choose it: 1 to 255 printable ASCII characters, no blank at either end. */
export const idempotencyKeyIn = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/, 'Must be 1 to 255 printable characters.')

const scalar = z.union([z.string(), z.number(), z.boolean()])

/** A member that may be left out; null, as clients with optional fields write it, leaves it out too. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform(value => value ?? undefined)

/**
 * Body of POST /agent/invoke. Amounts are read as micro-USDC. Unknown members of `payload` are refused: a caller
 * who believes that they reach the provider would be wrong.
 */
export const invokeIn = z.object({
  serviceId: z.string().min(1).max(128),
  idempotencyKey: optional(idempotencyKeyIn),
  costUsdc: optional(usdcIn),
  maxCostUsdc: optional(usdcIn),
  responseMode: optional(z.enum(['sync', 'stream'])),
  payload: z
    .strictObject({
      body: optional(z.record(z.string(), z.unknown())),
      query: optional(
        z
          .record(z.string(), scalar)
          .refine(query => Object.keys(query).length <= QUERY_PARAMETERS_MAX, 'Too many query parameters.'),
      ),
    })
    .nullish()
    .transform(payload => payload ?? { body: undefined, query: undefined }),
})

/** A call as it was asked for. */
export type InvokeInput = z.output<typeof invokeIn>

const instant = z.iso.datetime({ offset: true }).transform(text => new Date(text))

/** Longest id or agentToolName. */
const REFERENCE_LENGTH_MAX = 64
const referenceIn = plainText({ min: 0, max: REFERENCE_LENGTH_MAX })

/** Path of GET /agent/invocations/:id. A text that cannot be an id is nobody's, hence not found rather than malformed. */
export const invocationPathIn = z.object({
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .catch(''),
})

/** Query of GET /usage/logs. `serviceId` is an id or an agentToolName. Times are ISO 8601; `from` is included, `to` is not. */
export const usageLogsIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  credentialId: referenceIn.optional(),
  serviceId: referenceIn.optional(),
  status: z.enum(['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_RETRYABLE', 'FAILED_FINAL']).optional(),
  from: instant.optional(),
  to: instant.optional(),
})

/** Query of GET /provider/invocations; as {@link usageLogsIn}, without the callers' credentials. */
export const earnedIn = usageLogsIn.omit({ credentialId: true })

/**
 * Body of POST /provider/invocations/:id/usage: `{inputTokens, outputTokens}`, or the usage block of an answer in
 * the names of OpenAI or Anthropic; at the top or under `usage`.
 */
export const usageReportIn = z.looseObject({ usage: z.record(z.string(), z.unknown()).nullish() })
