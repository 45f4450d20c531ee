import { GatewayError } from '@farebox/wire/errors'
import type { Metrics } from '../../../ports.ts'
import type { LabelsOf } from '../../../telemetry/instruments.ts'

/** Why a call is shed, as the labels have it. */
type Reason = LabelsOf<'farebox_calls_shed_total'>['reason']

/** Longest time after which a caller is told to come back, in seconds. */
const RETRY_AFTER_SECONDS_MAX = 30
const MESSAGE =
  'The gateway has more calls than it can take now. Nothing was done. Retry with the same idempotency key.'

/** An error takes its time for the stack, and these are told when time is short: one for each number of seconds. */
const errors = Array.from(
  { length: RETRY_AFTER_SECONDS_MAX },
  (_, index) => new GatewayError('UNAVAILABLE', {}, { message: MESSAGE, retryAfterSeconds: index + 1 }),
)

/**
 * Counts a call that is shed, and says so to its caller. Such a call has left no trace: no hold, no key, no count
 * against a rate.
 *
 * @param waitMs after which it may be taken
 */
export function shedCall(
  metrics: Metrics,
  { reason, waitMs }: { reason: Reason; waitMs: number },
): GatewayError {
  metrics.count('farebox_calls_shed_total', { reason })
  const seconds = Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(waitMs / 1_000)))
  return errors[seconds - 1] as GatewayError
}
