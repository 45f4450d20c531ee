import type { Deps } from '../../ports.ts'
import type { ProbeTarget } from './read-probe-plan.ts'
import { claimTargets } from './target-store.ts'
import { openHeaders } from './upstream-headers.ts'

/**
 * Claims targets whose probe is due, by moving their next probe on: of several gateways one gets each target. A
 * claim that comes to nothing is made up for by the next probe.
 *
 * @param query.limit           most targets claimed
 * @param query.intervalSeconds time between two probes of a target; jittered
 */
export async function claimDueTargets(
  deps: Pick<Deps, 'db' | 'secretBox'>,
  query: { limit: number; intervalSeconds: number },
): Promise<ProbeTarget[]> {
  const rows = await claimTargets(deps.db, query)
  return rows.map(row => ({
    serviceId: row.id,
    url: row.url,
    healthCheck: row.healthCheck,
    upstreamHeaders: openHeaders(deps.secretBox, row),
  }))
}
