import type { HealthHistory } from '@farebox/wire/health'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { readOwnService } from '../services/read-service.ts'
import { readProbes } from './store.ts'

const HOUR_MS = 3_600_000

/**
 * Returns the probes of each target of a service, and the combined result, newest first.
 *
 * @param query.reference service id or agentToolName
 * @throws GatewayError SERVICE_NOT_FOUND (also for another owner's)
 */
export async function readHistory(
  deps: Pick<Deps, 'db' | 'clock'>,
  query: { reference: string; owner: Address; limitPerTarget: number; hours: number },
): Promise<HealthHistory> {
  const { serviceId, invoke } = await readOwnService(deps, query)
  const urls = invoke.targets.map(target => target.url)
  const since = new Date(deps.clock.now() - query.hours * HOUR_MS)
  const { limitPerTarget } = query
  const probes = Map.groupBy(
    await readProbes(deps.db, { serviceId, urls, since, limitPerTarget }),
    probe => probe.url,
  )
  const targets = urls.map(url => ({
    url,
    history: (probes.get(url) ?? []).map(({ isHealthy, latencyMs, checkedAt, source }) => ({
      status: isHealthy ? ('healthy' as const) : ('unhealthy' as const),
      latencyMs,
      checkedAt: checkedAt.toISOString(),
      source,
    })),
  }))
  const history = targets
    .flatMap(({ url, history }) => history.map(record => ({ url, ...record })))
    .sort((a, b) => b.checkedAt.localeCompare(a.checkedAt))
  return { status: 'success', serviceId, targets, history }
}
