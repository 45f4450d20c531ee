import { z } from 'zod'
import { cursorIn, limitIn, usdcIn } from './common.ts'

/** Most query parameters of one call. */
const QUERY_PARAMETERS_MAX = 100

/** An idempotency key as callers choose it: 1 to 255 printable ASCII characters, no blank at either end. */
export const idempotencyKeyIn = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/, 'Must be 1 to 255 printable characters.')

const scalar = z.union([z.string(), z.number(), z.boolean()])

/**
 * Body of POST /agent/invoke. Amounts are read as micro-USDC. Unknown members of `payload` are refused: a caller
 * who believes that they reach the provider would be wrong.
 */
export const invokeIn = z.object({
  serviceId: z.string().min(1).max(128),
  idempotencyKey: idempotencyKeyIn.optional(),
  costUsdc: usdcIn.optional(),
  maxCostUsdc: usdcIn.optional(),
  responseMode: z.enum(['sync']).default('sync'),
  payload: z
    .strictObject({
      body: z.record(z.string(), z.unknown()).optional(),
      query: z
        .record(z.string(), scalar)
        .refine(query => Object.keys(query).length <= QUERY_PARAMETERS_MAX, 'Too many query parameters.')
        .optional(),
    })
    .default({}),
})

/** A call as it was asked for. */
export type InvokeInput = z.output<typeof invokeIn>

const instant = z.iso.datetime({ offset: true }).transform(text => new Date(text))

/** Query of GET /usage/logs. Times are ISO 8601; `from` is included, `to` is not. */
export const usageLogsIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  credentialId: z.string().max(64).optional(),
  serviceId: z.string().max(64).optional(),
  status: z.enum(['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_RETRYABLE', 'FAILED_FINAL']).optional(),
  from: instant.optional(),
  to: instant.optional(),
})
