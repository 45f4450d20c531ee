import type { Deps } from '../../ports.ts'
import type { UpstreamFailureReason } from '../../upstream-ports.ts'
import type { ProbeTarget } from '../services/targets/read-probe-plan.ts'
import { isWell, type ProbePurpose, probeRequest } from './rules.ts'

/** Maximum number of bytes read of a response; only its status matters. */
const PROBE_BYTES_MAX = 16_384
/** Failures that may be due to a stale connection. */
const WORTH_A_SECOND_TRY: ReadonlySet<UpstreamFailureReason> = new Set(['connect', 'reset'])

/** Result of a probe. */
export type Finding = {
  readonly url: string
  readonly isHealthy: boolean
  readonly latencyMs: number
  readonly checkedAt: Date
  /** Status of the response; null if none arrived. */
  readonly httpStatus: number | null
  /** Reason why no response arrived, or why it is incomplete. */
  readonly reason: UpstreamFailureReason | null
}

/**
 * Probes a target.
 *
 * @param how.requestsMax maximum number of requests; if more than one, a broken connection is retried immediately
 * @param how.purpose     purpose that the signature states
 */
export async function requestProbe(
  deps: Pick<Deps, 'upstream' | 'clock' | 'metrics'>,
  target: ProbeTarget,
  { requestsMax, purpose }: { requestsMax: number; purpose: ProbePurpose },
): Promise<Finding> {
  for (let request = 1; ; request += 1) {
    const startedAt = deps.clock.elapsed()
    const asked = probeRequest(target, purpose)
    const { signingSecret } = target
    const answer = await deps.upstream.send({ ...asked, signingSecret, responseBytesMax: PROBE_BYTES_MAX })
    const failure = 'failure' in answer ? answer.failure : null
    if (request < requestsMax && failure !== null && WORTH_A_SECOND_TRY.has(failure.reason)) continue
    const httpStatus = 'failure' in answer ? (answer.failure.status ?? null) : answer.status
    const latencyMs = Math.round(deps.clock.elapsed() - startedAt)
    const isHealthy = isWell(httpStatus, target.healthCheck)
    deps.metrics.count('farebox_probes_total', {
      outcome: isHealthy ? 'healthy' : (failure?.reason ?? 'status'),
    })
    return {
      url: target.url,
      isHealthy,
      latencyMs,
      checkedAt: new Date(deps.clock.now()),
      httpStatus,
      reason: failure?.reason ?? null,
    }
  }
}
