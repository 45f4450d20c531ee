import { GatewayError } from '@farebox/wire/errors'
import type { RegisterServiceBody } from '@farebox/wire/manifest'
import type { ServiceHealth, ServiceStatus } from '@farebox/wire/services'

const SLUG_LENGTH_MAX = 48
const SUFFIX_LENGTH = 6

/** What is wrong with a member of a manifest; `path` with dots. */
export type ManifestIssue = { readonly path: string; readonly message: string }

/** The refusal of a manifest with these faults: INVALID_MANIFEST with `detail.issues`; null when there are none. */
export function invalidManifest(issues: readonly ManifestIssue[]): GatewayError | null {
  const [first] = issues
  if (first === undefined) return null
  return new GatewayError('INVALID_MANIFEST', { issues }, { message: `${first.path}: ${first.message}` })
}

/** What of a service decides where it stands. */
export type Standing = {
  readonly isActive: boolean
  readonly suspendedAt: Date | null
  readonly deletedAt: Date | null
}

/** Where a service stands; the later entry wins over the earlier. */
export function statusOf({ isActive, suspendedAt, deletedAt }: Standing): ServiceStatus {
  if (deletedAt !== null) return 'deleted'
  if (suspendedAt !== null) return 'suspended'
  return isActive ? 'active' : 'inactive'
}

/**
 * Whether a manifest asks for an active service, by `isActive` or else by `status`; undefined when it does not say.
 */
export function activityAskedFor(
  manifest: Pick<RegisterServiceBody, 'isActive' | 'status'>,
): boolean | undefined {
  const { isActive, status } = manifest
  const byStatus = { active: true, inactive: false, paused: false, suspended: undefined, deleted: undefined }
  return isActive ?? byStatus[status ?? 'deleted']
}

/**
 * Whether a new service is active: unless its manifest says otherwise.
 *
 * @throws GatewayError INVALID_MANIFEST when `isActive` and `status` contradict each other
 */
export function startsActive({
  isActive,
  status,
}: Pick<RegisterServiceBody, 'isActive' | 'status'>): boolean {
  const asked = activityAskedFor({ isActive, status })
  const byStatus = activityAskedFor({ status })
  const error = invalidManifest(
    byStatus === undefined || byStatus === asked
      ? []
      : [{ path: 'status', message: 'Contradicts isActive. Send one of them.' }],
  )
  if (error !== null) throw error
  return asked ?? true
}

/** What the probes know of a target. `lastProbedAt` is null before the first. */
export type TargetHealth = { readonly isHealthy: boolean; readonly lastProbedAt: Date | null }

/** What the probes say of all targets together. */
export function healthOf(status: ServiceStatus, targets: readonly TargetHealth[]): ServiceHealth {
  const healthyTargets = targets.filter(target => target.isHealthy).length
  const probes = targets.flatMap(({ lastProbedAt }) =>
    lastProbedAt === null ? [] : [lastProbedAt.getTime()],
  )
  return {
    overallStatus: overallStatus(healthyTargets, targets.length, probes.length),
    healthyTargets,
    totalTargets: targets.length,
    lastCheckedAt: probes.length === 0 ? null : Math.floor(Math.max(...probes) / 1_000),
    runtimeAvailable: status === 'active' && healthyTargets > 0,
  }
}

function overallStatus(healthy: number, total: number, probed: number): ServiceHealth['overallStatus'] {
  if (probed === 0) return 'unknown'
  if (healthy === 0) return 'unhealthy'
  return healthy === total ? 'healthy' : 'degraded'
}

/** What probes so far have made of a target. `streak`: successes in a row; below zero, failures in a row. */
export type ProbeState = { readonly isHealthy: boolean; readonly streak: number; readonly isProbed: boolean }

/**
 * What one more probe makes of a target. The first one decides at once; after it, as many in a row as the
 * thresholds say.
 */
export function afterProbe(
  state: ProbeState,
  isSuccess: boolean,
  thresholds: { readonly healthyThreshold: number; readonly unhealthyThreshold: number },
): { isHealthy: boolean; streak: number } {
  const streak = isSuccess ? Math.max(0, state.streak) + 1 : Math.min(0, state.streak) - 1
  const needed = isSuccess ? thresholds.healthyThreshold : thresholds.unhealthyThreshold
  const isDecided = !state.isProbed || Math.abs(streak) >= needed
  return { isHealthy: isDecided ? isSuccess : state.isHealthy, streak }
}

/**
 * The tool name that a service gets when it asks for none: its name in small letters and digits.
 *
 * @param suffix tells apart services of the same name; empty for the first
 */
export function deriveToolName(serviceName: string, suffix: string): string {
  const slug = serviceName
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH_MAX)
    .replaceAll(/^-+|-+$/g, '')
  const name = faultOfToolName(slug) === null ? slug : `service-${slug}`.replace(/-$/, '')
  return suffix === '' ? name : `${name}-${suffix.slice(0, SUFFIX_LENGTH)}`
}

/** Names of the gateway's own tools begin so. */
const OWN_TOOLS = 'farebox_'

/** Returns why a service may not take a tool name of the right form; null when it may. */
export function faultOfToolName(name: string): string | null {
  if (!/^[a-z]/.test(name)) return 'Must begin with a letter.'
  return name.startsWith(OWN_TOOLS) ? `Must not begin with ${OWN_TOOLS}: the name is reserved.` : null
}

/** A text as a pattern of SQL's LIKE that finds it anywhere: its own wildcards stand for themselves. */
export function likeAnywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}
