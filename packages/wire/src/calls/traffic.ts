import { z } from 'zod'
import { BUCKET_MS, BUCKETS, BUCKETS_MAX, bucketStarts } from '../buckets.ts'
import { targetUrlOut } from '../catalogue/services.ts'
import { countOut, idOut, isoTime, plainText, success, textOut, usdcOut } from '../common.ts'
import { REFERENCE_LENGTH_MAX } from './usage.ts'

/** Number of services, of targets and of kinds of failure in an answer: those with the most calls. */
export const TRAFFIC_GROUPS_MAX = 100
export const FAILURES_SHOWN_MAX = 50
/** Number of callers in an answer. */
export const CALLERS_SHOWN_MAX = 10
/** Maximum length of an example of a failure's message and of the provider's own text, in UTF-16 code units. */
export const EXAMPLE_LENGTH_MAX = 500
/** Days for which the calls by target are kept. */
export const TARGET_DAYS_KEPT = 30
const HOURS_DEFAULT = 24

const TIME_LENGTH_MAX = 40
const FIRST_YEAR = 2_000
const instant = z.iso
  .datetime({ offset: true })
  .transform(text => new Date(text))
  .refine(at => at.getUTCFullYear() >= FIRST_YEAR, `Must be in the year ${FIRST_YEAR} or later.`)
  .meta({ example: '2026-11-01T00:00:00Z', maxLength: TIME_LENGTH_MAX })

/** Query of `GET /providers/traffic`. */
export const trafficIn = z
  .object({
    from: instant.optional().meta({ description: 'Start of the period; default: 24 hours before its end.' }),
    to: instant.optional().meta({ description: 'End of the period, exclusive; default: now.' }),
    bucket: z
      .enum(BUCKETS)
      .default('hour')
      .meta({ description: 'Width of the buckets of `series`, in UTC; weeks start on Monday.' }),
    serviceId: plainText({ min: 0, max: REFERENCE_LENGTH_MAX })
      .optional()
      .meta({ description: 'Only calls of this service: an id or an agentToolName.', example: 'weather' }),
  })
  .transform(({ from, to = new Date(), ...rest }) => ({
    ...rest,
    to,
    from: from ?? new Date(to.getTime() - HOURS_DEFAULT * BUCKET_MS.hour),
  }))
  .superRefine(({ from, to, bucket }, context) => {
    const period = { from: from.getTime(), to: to.getTime() }
    if (period.from >= period.to) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'Must be before to.' })
    } else if ((period.to - period.from) / BUCKET_MS[bucket] > BUCKETS_MAX) {
      const message = `Must be wider: the period has more than ${BUCKETS_MAX} of these buckets.`
      context.addIssue({ code: 'custom', path: ['bucket'], message })
    }
  })
export type TrafficQuery = z.output<typeof trafficIn>

const ms = z.number().min(0)

/** Calls with their faults, times and earnings. */
export const trafficSums = z.object({
  calls: countOut,
  callers: countOut.meta({ description: 'Wallets whose agents made these calls.' }),
  succeeded: countOut,
  open: countOut.meta({ description: 'Calls in flight, or whose usage is pending.' }),
  providerFaults: countOut.meta({
    description:
      'Not charged: the provider timed out, was unreachable, or answered 5xx, 408, 429 or unusably.',
  }),
  callerFaults: countOut.meta({ description: 'Not charged: the provider answered another 4xx.' }),
  otherFaults: countOut.meta({
    description:
      'Not charged: cut streams, interrupted calls, and failures whose answer is no longer stored.',
  }),
  latencyMs: z
    .object({ p50: ms, p95: ms, p99: ms })
    .nullable()
    .meta({ description: 'Of successful calls; null without one.' }),
  earnedUsdc: usdcOut.meta({ description: 'Charges less the platform fee, by the time of the call.' }),
  promotionalUsdc: usdcOut.meta({ description: 'Part of earnedUsdc that vouchers paid.' }),
})
export type TrafficSums = z.output<typeof trafficSums>

/** Attempts at a target: a call that fails over is one at each. */
const targetTraffic = z.object({
  serviceId: idOut('svc'),
  url: targetUrlOut,
  calls: countOut.meta({ description: 'Attempts. Those not counted below are awaiting usage.' }),
  succeeded: countOut,
  providerFaults: countOut,
  callerFaults: countOut,
  otherFaults: countOut,
  latencyMs: z
    .object({ p50: ms, p95: ms, p99: ms })
    .nullable()
    .meta({ description: 'Of successful attempts, accurate to 10%; null without one.' }),
  earnedUsdc: usdcOut.meta({
    description: 'Charges less the platform fee, of calls that this target answered; without late usage.',
  }),
})
export type TargetTraffic = z.output<typeof targetTraffic>

/** Calls of one wallet. */
const callerTraffic = z.object({
  calls: countOut,
  succeeded: countOut,
  earnedUsdc: usdcOut.meta({ description: 'Charges less the platform fee.' }),
  lastAt: isoTime,
})

/** Calls that failed in the same way, as their callers saw it. */
const trafficFailure = z.object({
  fault: z.enum(['provider', 'caller', 'other']),
  code: z.string().regex(/^[A-Z_]{1,64}$/),
  httpStatus: z
    .int()
    .min(100)
    .max(599)
    .nullable()
    .meta({ description: 'What the caller got; null if the answer is no longer stored.' }),
  reason: textOut(EXAMPLE_LENGTH_MAX).nullable(),
  upstreamStatus: z.int().nullable().meta({ description: 'Status of the provider, if it answered.' }),
  message: textOut(EXAMPLE_LENGTH_MAX).nullable().meta({ description: 'Of the newest such call.' }),
  upstreamBody: textOut(EXAMPLE_LENGTH_MAX)
    .nullable()
    .meta({ description: 'Start of the provider’s own text in the newest such call.' }),
  calls: countOut,
  lastAt: isoTime,
  lastInvocationId: idOut('inv'),
})
export type TrafficFailure = z.output<typeof trafficFailure>

/** Traffic of a provider's services. */
export const traffic = z.object({
  from: isoTime.meta({ description: 'Start of the first bucket.' }),
  to: isoTime,
  bucket: z.enum(BUCKETS),
  total: trafficSums,
  series: z
    .array(z.object({ start: isoTime, ...trafficSums.shape }))
    .max(BUCKETS_MAX + 1)
    .meta({ description: 'Every bucket of the period, oldest first, also those without calls.' }),
  byService: z
    .array(z.object({ serviceId: idOut('svc'), ...trafficSums.shape }))
    .max(TRAFFIC_GROUPS_MAX)
    .meta({ description: 'The 100 with the most calls.' }),
  byTarget: z.array(targetTraffic).max(TRAFFIC_GROUPS_MAX).meta({
    description:
      'The 100 with the most attempts, in whole hours that begin in the period. Counted separately, delayed by some seconds, and kept for 30 days.',
  }),
  byCaller: z.array(callerTraffic).max(CALLERS_SHOWN_MAX).meta({
    description: 'The ten wallets with the most calls, which stay unnamed.',
  }),
  failures: z
    .array(trafficFailure)
    .max(FAILURES_SHOWN_MAX)
    .meta({ description: 'The 50 most frequent ways to fail.' }),
  countedFrom: isoTime.nullable().meta({
    description: 'Set if there are too many calls: only those from this time on are counted. Otherwise null.',
  }),
})
export type Traffic = z.output<typeof traffic>

/** Answer of `GET /providers/traffic`. */
export const trafficAnswer = z.object({ status: success, ...traffic.shape })

/** Returns the starts of the buckets of a query, in Unix ms. */
export const bucketsOf = ({ bucket, from, to }: TrafficQuery): number[] =>
  bucketStarts(bucket, { from: from.getTime(), to: to.getTime() })
