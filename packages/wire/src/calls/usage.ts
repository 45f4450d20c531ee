import { z } from 'zod'
import {
  clamped,
  countOut,
  cursorIn,
  exampleId,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  limitIn,
  nextCursor,
  type Output,
  plainText,
  success,
  textOut,
  usdcOut,
} from '../common.ts'
import {
  ATTEMPTS_MAX,
  idempotencyKeyIn,
  invocationStatus,
  invocationStatuses,
  TOKENS_MAX,
  tokensOut,
  tokenUsage,
} from './invocation.ts'

/** Maximum length of a time, with an offset and more digits than any clock provides. */
const TIME_LENGTH_MAX = 40
const instant = z.iso
  .datetime({ offset: true })
  .transform(text => new Date(text))
  .meta({ example: '2026-11-01T00:00:00Z', maxLength: TIME_LENGTH_MAX })

/** Maximum length of the key of a series: of the name of a model. */
const SERIES_KEY_LENGTH_MAX = 100
/** Maximum length of an id or agentToolName. */
export const REFERENCE_LENGTH_MAX = 64
const referenceIn = plainText({ min: 0, max: REFERENCE_LENGTH_MAX })

/**
 * Query of GET /usage/logs. `serviceId` is an id or an agentToolName. Times are ISO 8601; `from` is inclusive, `to`
 * exclusive.
 */
export const usageLogsIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  credentialId: referenceIn
    .optional()
    .meta({ description: 'Only calls of this credential.', example: exampleId('cred') }),
  serviceId: referenceIn
    .optional()
    .meta({ description: 'Only calls of this service: an id or an agentToolName.', example: 'weather' }),
  model: plainText({ min: 1, max: SERIES_KEY_LENGTH_MAX }).optional().meta({
    description: 'Only calls of services of this model: its `modelFamily`, or else the agentToolName.',
    example: 'sample-llm',
  }),
  idempotencyKey: idempotencyKeyIn.optional().meta({
    description: 'Only calls under this key: a call, or the attempts of a request at several models.',
  }),
  status: z
    .enum([...invocationStatuses, 'FAILED'])
    .optional()
    .meta({ description: 'Only calls with this status. FAILED: with either of the failed ones.' }),
  from: instant.optional().meta({ description: 'Only calls from this time on.' }),
  to: instant.optional().meta({ description: 'Only calls before this time.' }),
})

/** Query of GET /provider/invocations: {@link usageLogsIn} without the callers' credentials, models and keys. */
export const earnedIn = usageLogsIn.omit({ credentialId: true, model: true, idempotencyKey: true })

const tokensMeta = { type: 'integer', minimum: 0, maximum: TOKENS_MAX, example: 120 }

/**
 * Body of POST /provider/invocations/:id/usage: `{inputTokens, outputTokens}`, or the usage block of a response in the
 * names of OpenAI or Anthropic; at the top level or under `usage`.
 */
export const usageReportIn = z.looseObject({
  inputTokens: z.unknown().optional().meta(tokensMeta),
  outputTokens: z.unknown().optional().meta(tokensMeta),
  usage: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: 'The same, or a usage block in the format of OpenAI or Anthropic.' }),
  cacheReadTokens: z
    .unknown()
    .optional()
    .meta({ ...tokensMeta, description: 'Input tokens read from a cache.' }),
  cacheWriteTokens: z
    .unknown()
    .optional()
    .meta({ ...tokensMeta, description: 'Input tokens written to a cache.' }),
})

const call = {
  invocationId: idOut('inv'),
  serviceId: idOut('svc'),
  status: invocationStatus,
  chargedUsdc: usdcOut,
  holdUsdc: usdcOut,
  releasedUsdc: usdcOut,
  errorCode: z
    .string()
    .regex(/^[A-Z_]{1,64}$/)
    .nullable(),
  latencyMs: z.int().min(0).nullable(),
  attempts: z.int().min(0).max(ATTEMPTS_MAX),
  startedAt: isoTime,
  finishedAt: isoTime.nullable(),
}

/** An entry of the usage log. */
const usageLog = z
  .object({
    ...call,
    credentialId: idOut('cred'),
    idempotencyKey: idempotencyKeyIn,
    inputTokens: tokensOut.nullable(),
    outputTokens: tokensOut.nullable(),
    cacheReadTokens: tokensOut.nullable().meta({ description: 'Input tokens read from a cache.' }),
    cacheWriteTokens: tokensOut.nullable().meta({ description: 'Input tokens written to a cache.' }),
  })
  .meta({ id: 'UsageLog' })
export type UsageLog = z.output<typeof usageLog>

/** Answer of `GET /usage/logs`. */
export const usageLogsPage = z.object({
  status: success,
  logs: z.array(usageLog).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** A call as shown to its provider: earnings, and whether usage is awaited. It does not identify the caller. */
const earnedCall = z
  .object({
    ...call,
    feeUsdc: usdcOut,
    usage: tokenUsage.nullable(),
    processingReason: z
      .string()
      .regex(/^[a-z_]{1,64}$/)
      .nullable()
      .meta({ description: 'Why the usage is pending; null if it is not.' }),
    reportUsageBy: isoTime.nullable().meta({ description: 'Deadline of the usage report.' }),
  })
  .meta({ id: 'EarnedCall' })
export type EarnedCall = Output<typeof earnedCall>

/** Answer of `GET /provider/invocations`. */
export const earnedPage = z.object({
  status: success,
  invocations: z.array(earnedCall).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** Answer of `POST /provider/invocations/:id/usage`. */
export const reportedUsage = z.object({ status: success, invocation: earnedCall })

/** Default number of UTC days of a spending summary, including today. */
const SPENDING_DAYS_DEFAULT = 30
/** Maximum number of UTC days of a spending summary. */
export const SPENDING_DAYS_MAX = 92
/** Number of services, and of credentials, in a spending summary: those with the highest cost. */
export const SPENDING_GROUPS_MAX = 100
/** Maximum number of buckets: eight days of hours, or all days. */
export const SPENDING_BUCKETS_MAX = 193
/** Default and maximum number of series: those with the highest cost. One more has the rest. */
const SPENDING_SERIES_DEFAULT = 8
const SPENDING_SERIES_MAX = 50

const spendingBuckets = ['hour', 'day', 'week'] as const
const spendingKeys = ['service', 'credential', 'model'] as const
export type SpendingBucket = (typeof spendingBuckets)[number]

/** Query of `GET /usage/summary`. */
export const spendingIn = z.object({
  days: clamped({ min: 1, max: SPENDING_DAYS_MAX, absent: SPENDING_DAYS_DEFAULT }).meta({
    description: 'Number of UTC days, including today. Not used with `from`.',
  }),
  from: instant.optional().meta({ description: 'Only calls from this time on.' }),
  to: instant.optional().meta({ description: 'Only calls before this time; needs `from`. Default: now.' }),
  bucket: z.enum(spendingBuckets).default('day').meta({
    description: 'Width of `buckets`, in UTC; a week begins on Monday. Hours: for at most eight days.',
  }),
  by: z.enum(spendingKeys).default('service').meta({ description: 'Calls with the same one are a series.' }),
  series: clamped({ min: 1, max: SPENDING_SERIES_MAX, absent: SPENDING_SERIES_DEFAULT }).meta({
    description: 'Number of series, by default 8; all other calls are one more.',
  }),
})
export type SpendingQuery = z.output<typeof spendingIn>

const spent = {
  calls: countOut,
  failedCalls: countOut.meta({ description: 'Calls that failed and were not charged.' }),
  spentUsdc: usdcOut,
}
const spentByOne = {
  ...spent,
  lastCallAt: isoTime.meta({ description: 'Time of the newest of these calls.' }),
}
const activity = {
  ...spent,
  inputTokens: countOut,
  cacheReadTokens: countOut.meta({ description: 'Input tokens read from a cache.' }),
  outputTokens: countOut,
}
const refused = {
  refusedCalls: countOut.meta({
    description: 'Calls that were refused before money was held, in whole hours.',
  }),
}
const latency = {
  latencyP50Ms: countOut.nullable().meta({ description: 'Median of successful calls; null without any.' }),
  latencyP95Ms: countOut.nullable(),
}

/** Spending of a wallet on calls. */
export const spending = z.object({
  days: z
    .int()
    .min(1)
    .max(SPENDING_DAYS_MAX + 1)
    .meta({ description: 'Number of UTC days that the period touches.' }),
  from: isoTime,
  to: isoTime,
  total: z.object({ ...activity, ...latency, ...refused }),
  buckets: z
    .array(z.object({ start: isoTime, ...activity, ...latency, ...refused }))
    .max(SPENDING_BUCKETS_MAX)
    .meta({ description: 'All of the period, oldest first, also those without calls.' }),
  series: z
    .array(
      z.object({
        key: textOut(SERIES_KEY_LENGTH_MAX).nullable(),
        ...activity,
        ...latency,
        points: z
          .array(z.object({ start: isoTime, ...activity }))
          .max(SPENDING_BUCKETS_MAX)
          .meta({ description: 'Buckets with calls, oldest first.' }),
      }),
    )
    .max(SPENDING_SERIES_MAX + 1)
    .meta({
      description:
        'The services, credentials or models with the highest cost, highest first. Key null: all other calls, last.',
    }),
  refusals: z
    .array(
      z.object({
        credentialId: idOut('cred'),
        code: z.string().regex(/^[A-Z_]{1,64}$/),
        limit: z
          .string()
          .regex(/^[a-z_]{1,64}$/)
          .nullable()
          .meta({ description: '`limit` of the detail of the error; null without one.' }),
        calls: countOut,
        lastAt: isoTime,
      }),
    )
    .max(SPENDING_GROUPS_MAX)
    .meta({
      description: 'The 100 most frequent reasons for which calls were refused, most frequent first.',
    }),
  byDay: z
    .array(z.object({ day: z.iso.date(), ...spent }))
    .max(SPENDING_DAYS_MAX + 1)
    .meta({ description: 'UTC days with calls, oldest first.' }),
  byService: z
    .array(z.object({ serviceId: idOut('svc'), ...spentByOne }))
    .max(SPENDING_GROUPS_MAX)
    .meta({ description: 'The 100 with the highest cost, highest first.' }),
  byCredential: z.array(z.object({ credentialId: idOut('cred'), ...spentByOne })).max(SPENDING_GROUPS_MAX),
  countedFrom: isoTime.nullable().meta({
    description:
      'Set if the period has too many calls: only calls from this time on are summed. Otherwise null.',
  }),
})
export type Spending = z.output<typeof spending>

/** Answer of `GET /usage/summary`. */
export const spendingAnswer = z.object({ status: success, ...spending.shape })
