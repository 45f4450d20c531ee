import type { Deps } from '../../ports.ts'
import { type ProbeTarget, readProbePlan } from '../services/targets/read-probe-plan.ts'
import { type KeepDeps, keepFindings } from './keep-findings.ts'
import { type Finding, requestProbe } from './request-probe.ts'
import type { ProbePurpose } from './rules.ts'

/** Requests of one probe out of turn: somebody waits for it. */
const REQUESTS_MAX = 2

/** What probing needs. */
export type ProbeDeps = Pick<Deps, 'db' | 'upstream' | 'clock' | 'config' | 'ids' | 'secretBox' | 'metrics'> &
  KeepDeps

export type { Finding } from './request-probe.ts'

/**
 * Probes all targets of a service now and keeps what was found.
 *
 * @returns one finding per target; none when there is no such service, or it is deleted or suspended
 */
export async function probeService(
  deps: ProbeDeps,
  serviceId: string,
  purpose: ProbePurpose = 'probe',
): Promise<Finding[]> {
  const targets = await readProbePlan(deps, serviceId)
  return Promise.all(targets.map(target => probeTarget(deps, target, purpose)))
}

/**
 * Probes one target out of turn and keeps what was found. The network comes first, the transaction after it. The next
 * probe comes half an interval to one and a half later: services that are registered together shall not be probed
 * together ever after.
 */
async function probeTarget(deps: ProbeDeps, target: ProbeTarget, purpose: ProbePurpose): Promise<Finding> {
  const { serviceId } = target
  const finding = await requestProbe(deps, target, { requestsMax: REQUESTS_MAX, purpose })
  const nextInSeconds = deps.config.PROBE_INTERVAL_SECONDS * (0.5 + deps.ids.random())
  await keepFindings(deps, [{ ...finding, serviceId, nextInSeconds }], { isPatient: true })
  return finding
}
