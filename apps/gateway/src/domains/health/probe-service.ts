import type { Deps, UpstreamFailureReason } from '../../ports.ts'
import type { ServiceDirectory } from '../services/find-callable.ts'
import { markHealth } from '../services/mark-health.ts'
import { readProbePlan } from '../services/read-probe-plan.ts'
import { isWell, type Probed, probeRequest } from './rules.ts'
import { insertProbe } from './store.ts'

/** Most bytes read of the answer to a probe; its status is all that counts. */
const PROBE_BYTES_MAX = 16_384
/** Requests of one probe: a connection that broke may only have been an old one. */
const PROBE_ATTEMPTS_MAX = 2
const WORTH_A_SECOND_TRY: ReadonlySet<UpstreamFailureReason> = new Set(['connect', 'reset'])

/** What probing needs. */
export type ProbeDeps = Pick<Deps, 'db' | 'upstream' | 'clock' | 'config' | 'secretBox'> & {
  readonly directory: Pick<ServiceDirectory, 'forget'>
}

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
 * Probes all targets of a service now and keeps what was found.
 *
 * @returns one finding per target; none when there is no such service, or it is deleted or suspended
 */
export async function probeService(deps: ProbeDeps, serviceId: string): Promise<Finding[]> {
  const targets = await readProbePlan(deps, serviceId)
  return Promise.all(targets.map(target => probeTarget(deps, target)))
}

/** Probes one target and keeps what was found. The network comes first, the transaction after it. */
export async function probeTarget(deps: ProbeDeps, target: Probed): Promise<Finding> {
  const { serviceId } = target
  const finding = await request(deps, target)
  const isSuccess = finding.isHealthy
  const marked = await deps.db.transaction(async tx => {
    const nextInSeconds = deps.config.PROBE_INTERVAL_SECONDS
    const result = await markHealth(tx, { serviceId, ...finding, isSuccess, nextInSeconds })
    if (result !== null) await insertProbe(tx, { serviceId, ...finding })
    return result
  })
  if (marked?.isChanged === true) deps.directory.forget(serviceId)
  return finding
}

async function request(deps: ProbeDeps, target: Probed): Promise<Finding> {
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = deps.clock.now()
    const answer = await deps.upstream.send({ ...probeRequest(target), responseBytesMax: PROBE_BYTES_MAX })
    const failure = 'failure' in answer ? answer.failure : null
    if (attempt < PROBE_ATTEMPTS_MAX && failure !== null && WORTH_A_SECOND_TRY.has(failure.reason)) continue
    const httpStatus = 'failure' in answer ? (answer.failure.status ?? null) : answer.status
    const endedAt = deps.clock.now()
    return {
      url: target.url,
      isHealthy: isWell(httpStatus, target.healthCheck),
      latencyMs: Math.max(0, Math.round(endedAt - startedAt)),
      checkedAt: new Date(endedAt),
      httpStatus,
      reason: failure?.reason ?? null,
    }
  }
}
