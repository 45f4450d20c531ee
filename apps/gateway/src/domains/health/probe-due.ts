import type { Log } from '../../ports.ts'
import { claimDueTargets } from '../services/claim-due-targets.ts'
import { type ProbeDeps, probeTarget } from './probe-service.ts'

/** Probes under way at once in this process. */
const PROBES_AT_ONCE_MAX = 64
/** Longest wait before due targets are looked for again while probes are under way, in ms. */
const LOOK_AGAIN_MS = 250
/** Longest wait for probes under way when the gateway stops, in ms. */
const STOP_WAIT_MS = 1_000

/**
 * Probes every target that is due, until none is or the gateway stops. A target that hangs takes one place and
 * holds up no other.
 */
export async function probeDue(deps: ProbeDeps & { readonly log: Log }, signal: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<void>>()
  while (!signal.aborted) {
    const limit = PROBES_AT_ONCE_MAX - underWay.size
    const intervalSeconds = deps.config.PROBE_INTERVAL_SECONDS
    const targets = limit === 0 ? [] : await claimDueTargets(deps, { limit, intervalSeconds })
    for (const target of targets) {
      const probe: Promise<void> = probeTarget(deps, target)
        .then(() => undefined)
        .catch((error: unknown) =>
          deps.log.warn({ serviceId: target.serviceId, err: error }, 'a probe was lost'),
        )
        .finally(() => underWay.delete(probe))
      underWay.add(probe)
    }
    if (underWay.size === 0) return
    await Promise.race([...underWay, deps.clock.pause(LOOK_AGAIN_MS)])
  }
  await Promise.race([Promise.all(underWay), deps.clock.pause(STOP_WAIT_MS)])
}
