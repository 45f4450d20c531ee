import { GatewayError } from '@farebox/wire/errors'
import type { Metrics } from '../../../ports.ts'
import type { LabelsOf } from '../../../telemetry/instruments.ts'

/** Reason for shedding a call, as in the metric's label. */
type Reason = LabelsOf<'farebox_calls_shed_total'>['reason']

/** Maximum `Retry-After`, in seconds. */
const RETRY_AFTER_SECONDS_MAX = 30
const MESSAGE = 'The gateway is overloaded. Nothing was done. Retry with the same idempotency key.'

/** Cached by number of seconds: the stack trace of an error costs time when load is high. */
const errors = Array.from(
  { length: RETRY_AFTER_SECONDS_MAX },
  (_, index) => new GatewayError('UNAVAILABLE', {}, { message: MESSAGE, retryAfterSeconds: index + 1 }),
)

/**
 * Counts a shed call and returns its error. A shed call leaves no trace: no hold, no key, no count against a rate.
 *
 * @param waitMs expected wait until it can be admitted
 */
export function shedCall(
  metrics: Metrics,
  { reason, waitMs }: { reason: Reason; waitMs: number },
): GatewayError {
  metrics.count('farebox_calls_shed_total', { reason })
  const seconds = Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(waitMs / 1_000)))
  return errors[seconds - 1] as GatewayError
}
