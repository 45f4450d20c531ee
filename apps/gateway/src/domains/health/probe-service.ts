import type { Deps } from '../../ports.ts'
import { type ProbeTarget, readProbePlan } from '../services/targets/read-probe-plan.ts'
import { type KeepDeps, keepFindings } from './keep-findings.ts'
import { type Finding, requestProbe } from './request-probe.ts'
import type { ProbePurpose } from './rules.ts'

/** Maximum number of requests of an unscheduled probe, for which a caller waits. */
const REQUESTS_MAX = 2

/** Dependencies of probes. */
export type ProbeDeps = Pick<Deps, 'db' | 'upstream' | 'clock' | 'config' | 'ids' | 'secretBox' | 'metrics'> &
  KeepDeps

export type { Finding } from './request-probe.ts'

/**
 * Probes all targets of a service now and writes the findings.
 *
 * @returns one finding per target; none if the service does not exist, is deleted or suspended
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
 * Probes a target outside its schedule and writes the finding. The network comes before the transaction. The next probe
 * follows after half an interval to one and a half, so that services registered together are not probed together
 * forever.
 */
async function probeTarget(deps: ProbeDeps, target: ProbeTarget, purpose: ProbePurpose): Promise<Finding> {
  const { serviceId } = target
  const finding = await requestProbe(deps, target, { requestsMax: REQUESTS_MAX, purpose })
  const nextInSeconds = deps.config.PROBE_INTERVAL_SECONDS * (0.5 + deps.ids.random())
  await keepFindings(deps, [{ ...finding, serviceId, nextInSeconds }], { isPatient: true })
  return finding
}
