import type { Tx } from '../../ports.ts'
import { BREAKER_OPEN_MS, type BreakerTarget } from './breakers.ts'
import { type TurnedService, turnServices } from './mark-health.ts'
import { writeFailing } from './target-store.ts'

const PROBE_IN_SECONDS = BREAKER_OPEN_MS / 1_000

/**
 * Takes the word of live traffic for it that a target fails, as every gateway shall know: it is unhealthy until a
 * probe says otherwise, which is made when the breaker that opened would let calls try again.
 *
 * @returns null when the target was known not to be healthy; otherwise the services that turned by it
 */
export async function markFailing(tx: Tx, target: BreakerTarget): Promise<TurnedService[] | null> {
  const isNews = await writeFailing(tx, { ...target, probeInSeconds: PROBE_IN_SECONDS })
  return isNews ? turnServices(tx, [target.serviceId]) : null
}
