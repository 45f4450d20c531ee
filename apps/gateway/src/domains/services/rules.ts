import { GatewayError } from '@farebox/wire/errors'
import type { RegisterServiceBody } from '@farebox/wire/manifest'
import { placeholdersOf } from '@farebox/wire/path-template'
import type { ServiceHealth, ServiceStatus } from '@farebox/wire/services'
import { FACILITATOR_PATHS } from '@farebox/wire/x402'

const SLUG_LENGTH_MAX = 48
const SUFFIX_LENGTH = 6

/** A fault of a member of a manifest; `path` with dots. */
export type ManifestIssue = { readonly path: string; readonly message: string }

/** Returns INVALID_MANIFEST with `detail.issues`; null without faults. */
export function invalidManifest(issues: readonly ManifestIssue[]): GatewayError | null {
  const [first] = issues
  if (first === undefined) return null
  return new GatewayError('INVALID_MANIFEST', { issues }, { message: `${first.path}: ${first.message}` })
}

/** Returns the names in the paths of targets, each once. */
export function placeholdersIn(targets: readonly { readonly url: string }[]): readonly string[] {
  return [...new Set(targets.flatMap(({ url }) => placeholdersOf(url)))]
}

/** Members of a service that determine its status. */
export type Standing = {
  readonly isActive: boolean
  readonly suspendedAt: Date | null
  readonly deletedAt: Date | null
}

/** Status of a service; the later entry takes precedence. */
export function statusOf({ isActive, suspendedAt, deletedAt }: Standing): ServiceStatus {
  if (deletedAt !== null) return 'deleted'
  if (suspendedAt !== null) return 'suspended'
  return isActive ? 'active' : 'inactive'
}

/**
 * Returns whether a manifest requests an active service, by `isActive` or else by `status`; undefined if it does not
 * say.
 */
export function activityAskedFor(
  manifest: Pick<RegisterServiceBody, 'isActive' | 'status'>,
): boolean | undefined {
  const { isActive, status } = manifest
  const byStatus = { active: true, inactive: false, paused: false, suspended: undefined, deleted: undefined }
  return isActive ?? byStatus[status ?? 'deleted']
}

/**
 * Returns whether a new service is active: yes, unless its manifest says otherwise.
 *
 * @throws GatewayError INVALID_MANIFEST if `isActive` and `status` contradict each other
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

/** Probe results of a target. `lastProbedAt` is null before the first. */
export type TargetHealth = { readonly isHealthy: boolean; readonly lastProbedAt: Date | null }

/** Returns the combined probe results of all targets. One that is still to be probed makes a service neither better nor worse. */
export function healthOf(status: ServiceStatus, targets: readonly TargetHealth[]): ServiceHealth {
  const healthyTargets = targets.filter(target => target.isHealthy).length
  const probes = targets.flatMap(({ lastProbedAt }) =>
    lastProbedAt === null ? [] : [lastProbedAt.getTime()],
  )
  return {
    overallStatus: overallStatus(healthyTargets, probes.length),
    healthyTargets,
    totalTargets: targets.length,
    lastCheckedAt: probes.length === 0 ? null : Math.floor(Math.max(...probes) / 1_000),
    runtimeAvailable: status === 'active' && healthyTargets > 0,
  }
}

function overallStatus(healthy: number, probed: number): ServiceHealth['overallStatus'] {
  if (probed === 0) return 'unknown'
  if (healthy === 0) return 'unhealthy'
  return healthy >= probed ? 'healthy' : 'degraded'
}

/** State of a target by its probes. `streak`: consecutive successes; if negative, consecutive failures. */
export type ProbeState = { readonly isHealthy: boolean; readonly streak: number; readonly isProbed: boolean }

/** Returns the state after one more probe. The first probe decides at once; later ones by the thresholds. */
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
 * Returns the default tool name of a service: its name in lower-case letters and digits.
 *
 * @param suffix distinguishes services of the same name; empty for the first
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

/** Reserved prefix of the gateway's own tools. */
const OWN_TOOLS = 'farebox_'

/** Returns why a well-formed tool name is refused; null if it is not. */
export function faultOfToolName(name: string): string | null {
  if (!/^[a-z]/.test(name)) return 'Must begin with a letter.'
  if (FACILITATOR_PATHS.includes(name))
    return 'Must not be verify, settle or supported: these names are reserved.'
  return name.startsWith(OWN_TOOLS) ? `Must not begin with ${OWN_TOOLS}: the name is reserved.` : null
}

/** Returns a LIKE pattern that finds a text anywhere; wildcards in it are escaped. */
export function likeAnywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}
