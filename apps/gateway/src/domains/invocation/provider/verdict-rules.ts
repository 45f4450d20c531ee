import type { GatewayError } from '@farebox/wire/errors'
import type { ProviderOutcome } from '../pricing/settle-rules.ts'
import type { InvocationStatus } from '../rules.ts'

/** Statuses that mean that a provider could not serve: Request Timeout and Too Many Requests (RFC 9110, RFC 6585). */
const OWN_FAULTS: ReadonlySet<unknown> = new Set([408, 429])

/**
 * Returns the verdict of a finished call on its provider: `good`, `bad` or none. Possible faults of the caller (other
 * 4xx), calls that did not reach it because of callers, and streams that we cut give none.
 *
 * @param status final state of the call
 */
export function verdictOn(outcome: ProviderOutcome, status: InvocationStatus): 'good' | 'bad' | null {
  if (status === 'SUCCEEDED') return 'good'
  if (outcome.kind === 'streamed') {
    const { end, isProvidersFault } = outcome.stream
    return end === 'cut' && isProvidersFault !== true ? null : 'bad'
  }
  if (outcome.kind === 'answered') return 'bad'
  const { code, context } = outcome.failure.error
  if (code !== 'UPSTREAM_ERROR' || outcome.failure.isUnasked === true) return null
  return isOwnFault(context) ? 'bad' : null
}

/** Returns true if a failed attempt is the provider's fault, by its reason and the provider's status. */
const isOwnFault = ({ reason, upstreamStatus }: { reason?: unknown; upstreamStatus?: unknown }): boolean =>
  reason !== 'status' || Number(upstreamStatus) >= 500 || OWN_FAULTS.has(upstreamStatus)

/** Party that caused a failed call. */
export type Fault = 'provider' | 'caller' | 'other'

/** A failed call, as its stored answer describes it; `reason` is null once the answer is deleted. */
export type StoredFailure = {
  readonly code: string
  readonly reason: string | null
  readonly upstreamStatus: number | null
}

/**
 * Returns whose fault a failed call was. `other`: the gateway was interrupted, a stream was cut by either side, or the
 * answer is no longer stored.
 */
export function faultOf({ code, ...context }: StoredFailure): Fault {
  const isKnown = code === 'UPSTREAM_ERROR' && context.reason !== null && context.reason !== 'stream_cut'
  if (!isKnown) return 'other'
  return isOwnFault(context) ? 'provider' : 'caller'
}

/** {@link faultOf} for an error before it is stored. */
export function faultOfError({ code, context: { reason, upstreamStatus } }: GatewayError): Fault {
  return faultOf({
    code,
    reason: typeof reason === 'string' ? reason : null,
    upstreamStatus: typeof upstreamStatus === 'number' ? upstreamStatus : null,
  })
}
