import type { Address } from 'viem'
import type { Tx } from '../../../ports.ts'
import { afterProbe } from '../rules.ts'
import {
  existing,
  type LockedTarget,
  lockStandings,
  lockTargets,
  type WrittenTarget,
  writeProbed,
  writeStandings,
} from './target-store.ts'

/** An unchanged probe result is stored long-term if the last such one is this old, in ms. */
const LANDMARK_EVERY_MS = 600_000

/** Probe result of one target. */
export type ProbeResult = {
  readonly serviceId: string
  readonly url: string
  readonly isSuccess: boolean
  readonly latencyMs: number
  readonly checkedAt: Date
  /** Seconds until the next probe of the target; null: unchanged. */
  readonly nextInSeconds: number | null
}

/** Outcome of a probe result. */
export type MarkedTarget =
  | {
      readonly kind: 'marked'
      readonly isHealthy: boolean
      /** True if the target changed its health. */
      readonly isChanged: boolean
      /** True if it should be stored long-term. */
      readonly isLandmark: boolean
    }
  /** The service no longer has that target. */
  | { readonly kind: 'gone' }
  /** Another transaction holds the target: retry. */
  | { readonly kind: 'busy' }

/** A service that went down or came up. `owner` in lower case. */
export type TurnedService = {
  readonly serviceId: string
  readonly owner: Address
  readonly agentToolName: string
  readonly serviceName: string
  readonly isUp: boolean
  readonly healthyTargets: number
  readonly totalTargets: number
}

/**
 * Applies probe results: counts them against the thresholds of the services and returns the health of the targets and
 * the services that changed; `runtimeAvailable` of an active service means that it is up. Each change is returned to
 * one caller only.
 *
 * @param probes  in the order of their time
 * @param options.isPatient true to wait for targets locked by others
 * @returns `marked` in the order of the probes
 */
export async function markHealth(
  tx: Tx,
  probes: readonly ProbeResult[],
  options: { isPatient: boolean },
): Promise<{ marked: MarkedTarget[]; turned: TurnedService[] }> {
  const keys = [...new Map(probes.map(probe => [keyOf(probe), probe])).values()]
  const locked = new Map(
    (await lockTargets(tx, keys, options.isPatient)).map(target => [keyOf(target), target]),
  )
  const missing = keys.filter(key => !locked.has(keyOf(key)))
  const busy = new Set(
    options.isPatient || missing.length === 0 ? [] : (await existing(tx, missing)).map(keyOf),
  )

  const now = new Map(locked)
  const written = new Map<string, WrittenTarget>()
  const marked = probes.map((probe): MarkedTarget => {
    const key = keyOf(probe)
    const before = now.get(key)
    if (before === undefined) return { kind: busy.has(key) ? 'busy' : 'gone' }
    const { after, isLandmark } = mark(before, probe)
    now.set(key, after)
    written.set(key, { ...probe, ...after })
    const isChanged = after.isHealthy !== before.isHealthy
    return { kind: 'marked', isHealthy: after.isHealthy, isChanged, isLandmark }
  })
  if (written.size > 0) await writeProbed(tx, [...written.values()])

  const turning = [...locked].flatMap(([key, { serviceId, isHealthy, isProbed }]) =>
    written.has(key) && (!isProbed || now.get(key)?.isHealthy !== isHealthy) ? [serviceId] : [],
  )
  return { marked, turned: await turnServices(tx, turning) }
}

/** Stores the state of services whose targets changed, and returns the services that changed. */
async function turnServices(tx: Tx, serviceIds: readonly string[]): Promise<TurnedService[]> {
  if (serviceIds.length === 0) return []
  const rows = (await lockStandings(tx, serviceIds)).map(row => ({ ...row, isUp: row.healthyTargets > 0 }))
  const turned = rows.filter(({ wasUp, isUp }) => wasUp !== isUp)
  if (turned.length > 0) await writeStandings(tx, turned)
  // A service without an earlier state did not change.
  return turned.flatMap(({ wasUp, ...service }) => (wasUp === null ? [] : [service]))
}

const keyOf = ({ serviceId, url }: { serviceId: string; url: string }) => `${serviceId} ${url}`

function mark(before: LockedTarget, probe: ProbeResult): { after: LockedTarget; isLandmark: boolean } {
  const { isSuccess, checkedAt } = probe
  const { landmarkAt } = before
  const isNews = !before.isProbed || before.streak > 0 !== isSuccess
  const isDue = landmarkAt === null || checkedAt.getTime() - landmarkAt.getTime() >= LANDMARK_EVERY_MS
  const isLandmark = isNews || isDue
  const after = {
    ...before,
    ...afterProbe(before, isSuccess, before),
    isProbed: true,
    landmarkAt: isLandmark ? checkedAt : landmarkAt,
  }
  return { after, isLandmark }
}
