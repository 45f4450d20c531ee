import { PROBES_SHOWN_MAX } from '@farebox/wire/market'
import type { Deps } from '../../ports.ts'
import { readShownTargets } from '../services/discovery/read-market-service.ts'
import { readProbes } from './store.ts'

const DAY_MS = 86_400_000
const SHARE_DIGITS = 4

/**
 * Returns the public result of the last day's probes of a service, with its targets by number.
 *
 * @param reference service id or agentToolName
 * @throws GatewayError SERVICE_NOT_FOUND, also when it is suspended or deleted
 */
export async function readShownHealth(deps: Pick<Deps, 'db' | 'clock'>, reference: string) {
  const { serviceId, targets } = await readShownTargets(deps, reference)
  const probes = await readProbes(deps.db, {
    serviceId,
    urls: targets.map(({ url }) => url),
    since: new Date(deps.clock.now() - DAY_MS),
    limitPerTarget: PROBES_SHOWN_MAX,
  })
  const weight = targets.reduce((sum, target) => sum + target.weight, 0)
  return {
    status: 'success' as const,
    serviceId,
    targets: targets.map((target, index) => ({
      name: `Target ${index + 1}`,
      share: Number((target.weight / weight).toFixed(SHARE_DIGITS)),
      isHealthy: target.isHealthy,
      history: probes
        .filter(({ url }) => url === target.url)
        .map(({ isHealthy, latencyMs, checkedAt, source }) => ({
          status: isHealthy ? ('healthy' as const) : ('unhealthy' as const),
          latencyMs,
          source,
          checkedAt: checkedAt.toISOString(),
        })),
    })),
  }
}
