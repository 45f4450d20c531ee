import type { Deps } from '../../ports.ts'
import type { BreakerTarget } from '../services/targets/breakers.ts'
import { probeSoon } from '../services/targets/probe-soon.ts'

/**
 * Maximum number of concurrent requests for probes; a target that is skipped is requested again when further calls
 * fail.
 */
const SUSPECTS_AT_ONCE_MAX = 32

/**
 * Returns a function that makes a target due for any gateway's next probe, because calls to it fail. Only the finding
 * of that probe can mark the target unhealthy for all gateways. Does not block the caller.
 */
export function createSuspectProber(deps: Pick<Deps, 'db' | 'log'>): (target: BreakerTarget) => void {
  let inFlight = 0
  return target => {
    if (inFlight >= SUSPECTS_AT_ONCE_MAX) return
    inFlight += 1
    void probeSoon(deps, target)
      .catch((error: unknown) =>
        deps.log.warn({ ...target, err: error }, 'a probe of a failing target could not be scheduled'),
      )
      .finally(() => {
        inFlight -= 1
      })
  }
}
