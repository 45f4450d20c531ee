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

/** A probe that found what the one before did is kept for long when the last such one is this old, in ms. */
const LANDMARK_EVERY_MS = 600_000

/** What a probe of one target found. */
export type ProbeResult = {
  readonly serviceId: string
  readonly url: string
  readonly isSuccess: boolean
  readonly latencyMs: number
  readonly checkedAt: Date
  /** When the target is to be probed again, in seconds from now; null: when it was going to be. */
  readonly nextInSeconds: number | null
}

/** What became of a probe's word. */
export type MarkedTarget =
  | {
      readonly kind: 'marked'
      readonly isHealthy: boolean
      /** Whether the target turned by it. */
      readonly isChanged: boolean
      /** Whether it is worth keeping for long. */
      readonly isLandmark: boolean
    }
  /** The service has that target no more. */
  | { readonly kind: 'gone' }
  /** Somebody else is changing the target: try again. */
  | { readonly kind: 'busy' }

/** A service that was up and is not any more, or the reverse. `owner` in lower case. */
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
 * Takes the word of probes: counts it against the thresholds of the services and says what the targets are now, and
 * which services turned: `runtimeAvailable` of an active service is whether it is up. Of all who see a service turn,
 * one is told.
 *
 * @param probes  in the order of their time
 * @param options.isPatient whether to wait for targets that somebody else has locked
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

/** Writes down where services stand whose targets turned, and tells which of the services turned with them. */
async function turnServices(tx: Tx, serviceIds: readonly string[]): Promise<TurnedService[]> {
  if (serviceIds.length === 0) return []
  const rows = (await lockStandings(tx, serviceIds)).map(row => ({ ...row, isUp: row.healthyTargets > 0 }))
  const turned = rows.filter(({ wasUp, isUp }) => wasUp !== isUp)
  if (turned.length > 0) await writeStandings(tx, turned)
  // What has never stood anywhere did not turn.
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
