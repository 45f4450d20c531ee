import type { ProviderOutcome } from '../pricing/settle-rules.ts'
import type { InvocationStatus } from '../rules.ts'

/** Answers of a provider that say it could not serve: Request Timeout and Too Many Requests (RFC 9110, RFC 6585). */
const OWN_FAULTS: ReadonlySet<unknown> = new Set([408, 429])

/**
 * What a call that is over says of its provider: `good`, `bad`, or nothing. What the caller may have got wrong (the
 * other 4xx), and what we cut ourselves, says nothing.
 *
 * @param status the state that the call was left in
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
