import type { Deps } from '../../ports.ts'
import type { BreakerTarget } from '../services/targets/breakers.ts'
import { probeSoon } from '../services/targets/probe-soon.ts'

/** Targets that are being made due at once; one that is left out is suspect again when the next calls fail. */
const SUSPECTS_AT_ONCE_MAX = 32

/**
 * Returns a function that has a target probed at the next look of any gateway, because calls to it fail. What the probe
 * finds counts like any other: only a probe takes a target from everybody. Nobody waits for it.
 */
export function createSuspectProber(deps: Pick<Deps, 'db' | 'log'>): (target: BreakerTarget) => void {
  let inFlight = 0
  return target => {
    if (inFlight >= SUSPECTS_AT_ONCE_MAX) return
    inFlight += 1
    void probeSoon(deps, target)
      .catch((error: unknown) =>
        deps.log.warn({ ...target, err: error }, 'a target at which calls fail was not made due for a probe'),
      )
      .finally(() => {
        inFlight -= 1
      })
  }
}
