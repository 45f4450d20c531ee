import type { HealthCheck } from '@farebox/wire/health-check'
import { beforePlaceholders } from '@farebox/wire/path-template'

const PROBE_TIMEOUT_MS_DEFAULT = 5_000
/** Lowest status that counts as a failure by default. */
const FAILURE_STATUS_MIN = 500

/** Ratio of the maximum rate of probes, when all targets are due at once, to the usual one. */
const CATCH_UP_FACTOR = 2
/** Minimum rate, in probes per second; a few targets need not be spread. */
const PACE_MIN = 50

/** Columns of a target that a probe needs. */
export type Probed = {
  readonly serviceId: string
  /** Wallet of the provider, in lower case. */
  readonly owner: string
  readonly url: string
  readonly healthPath: string | null
  readonly healthCheck: HealthCheck | null
  readonly upstreamHeaders: Readonly<Record<string, string>>
}

/** Purpose of a probe: scheduled or after a change, or requested by the owner. */
export type ProbePurpose = 'probe' | 'ping'

/**
 * Returns the request of a probe: GET on the target up to its first placeholder, or as configured by the service, always
 * at the origin of the target. The path of the target takes precedence over that of the service.
 */
export function probeRequest(
  { serviceId, owner, url, healthPath, healthCheck, upstreamHeaders }: Probed,
  purpose: ProbePurpose,
) {
  const path = healthPath ?? healthCheck?.path
  return {
    url: path === undefined ? beforePlaceholders(url) : new URL(path, new URL(url).origin).href,
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
 * Returns true if a target is healthy, by the status of its response.
 *
 * @param status null if no response arrived
 */
export function isWell(status: number | null, healthCheck: HealthCheck | null): boolean {
  if (status === null) return false
  const codes = healthCheck?.successCodes
  return codes === undefined ? status < FAILURE_STATUS_MIN : codes.includes(status)
}

/**
 * Returns the maximum number of probes that a gateway starts per second.
 *
 * @param targets         number of scheduled targets
 * @param intervalSeconds interval between two probes of a target
 */
export function paceOf(targets: number, intervalSeconds: number): number {
  return Math.max(PACE_MIN, (CATCH_UP_FACTOR * targets) / intervalSeconds)
}
