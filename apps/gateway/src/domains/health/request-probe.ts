import type { Deps, UpstreamFailureReason } from '../../ports.ts'
import type { ProbeTarget } from '../services/targets/read-probe-plan.ts'
import { isWell, type ProbePurpose, probeRequest } from './rules.ts'

/** Most bytes read of the answer to a probe; its status is all that counts. */
const PROBE_BYTES_MAX = 16_384
/** A connection that broke may only have been an old one. */
const WORTH_A_SECOND_TRY: ReadonlySet<UpstreamFailureReason> = new Set(['connect', 'reset'])

/** What a probe found. */
export type Finding = {
  readonly url: string
  readonly isHealthy: boolean
  readonly latencyMs: number
  readonly checkedAt: Date
  /** Status of the answer; null when none came. */
  readonly httpStatus: number | null
  /** Why none came, or why it was not read to its end. */
  readonly reason: UpstreamFailureReason | null
}

/**
 * Asks a target how it is.
 *
 * @param how.requestsMax requests that may be made: more than one, and a broken connection is tried again at once
 * @param how.purpose     what the signature says that this is for
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
