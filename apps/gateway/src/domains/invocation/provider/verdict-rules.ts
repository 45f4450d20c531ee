import type { ProviderOutcome } from '../pricing/settle-rules.ts'
import type { InvocationStatus } from '../rules.ts'

/** Statuses that mean that a provider could not serve: Request Timeout and Too Many Requests (RFC 9110, RFC 6585). */
const OWN_FAULTS: ReadonlySet<unknown> = new Set([408, 429])

/**
 * Returns the verdict of a finished call on its provider: `good`, `bad` or none. Possible faults of the caller (other
 * 4xx) and streams that we cut give none.
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
  if (code !== 'UPSTREAM_ERROR') return null
  if (context.reason !== 'status') return 'bad'
  return Number(context.upstreamStatus) >= 500 || OWN_FAULTS.has(context.upstreamStatus) ? 'bad' : null
}
