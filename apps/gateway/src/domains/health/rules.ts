import type { HealthCheck } from '@farebox/wire/services'

/** Time a probe may take when the service does not say, in ms. */
const PROBE_TIMEOUT_MS_DEFAULT = 5_000
/** Lowest status that the default probe takes for a failure. */
const FAILURE_STATUS_MIN = 500

/** How much faster than in ordinary days targets are taken that are all due at once. */
const CATCH_UP_FACTOR = 2
/** Slowest pace, in probes per second: a few targets are not worth spreading. */
const PACE_MIN = 50

/** A target as a probe sees it. */
export type Probed = {
  readonly serviceId: string
  /** The provider's wallet, in lower case. */
  readonly owner: string
  readonly url: string
  readonly healthCheck: HealthCheck | null
  readonly upstreamHeaders: Readonly<Record<string, string>>
}

/** Why a target is asked: in turn and after a change, or at its owner's word. */
export type ProbePurpose = 'probe' | 'ping'

/** The request of a probe: GET on the target, or what the service asks for, always at the origin of the target. */
export function probeRequest(
  { serviceId, owner, url, healthCheck, upstreamHeaders }: Probed,
  purpose: ProbePurpose,
) {
  const path = healthCheck?.path
  return {
    url: path === undefined ? url : new URL(path, new URL(url).origin).href,
    method: healthCheck?.method ?? 'GET',
    headers: {
      'user-agent': 'Farebox-Probe',
      accept: '*/*',
      ...upstreamHeaders,
      'farebox-service-id': serviceId,
      'farebox-provider': owner,
      'farebox-purpose': purpose,
    },
    body: null,
    timeoutMs: healthCheck?.timeoutMs ?? PROBE_TIMEOUT_MS_DEFAULT,
  }
}

/**
 * Whether a target is well, by the status it answered with.
 *
 * @param status null when no head of an answer came
 */
export function isWell(status: number | null, healthCheck: HealthCheck | null): boolean {
  if (status === null) return false
  const codes = healthCheck?.successCodes
  return codes === undefined ? status < FAILURE_STATUS_MIN : codes.includes(status)
}

/**
 * Probes per second that a gateway starts at most.
 *
 * @param targets         targets that are probed in turn
 * @param intervalSeconds time between two probes of one
 */
export function paceOf(targets: number, intervalSeconds: number): number {
  return Math.max(PACE_MIN, (CATCH_UP_FACTOR * targets) / intervalSeconds)
}
