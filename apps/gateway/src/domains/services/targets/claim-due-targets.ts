import type { Deps } from '../../../ports.ts'
import { openServiceSecret } from '../signing-secret.ts'
import type { ProbeTarget } from './read-probe-plan.ts'
import { claimTargets, countProbed, isAnyDue } from './target-store.ts'
import { openHeaders } from './upstream-headers.ts'

/** A target whose probe is due. */
export type DueTarget = ProbeTarget & {
  /** What the probes so far say. */
  readonly isHealthy: boolean
}

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
): Promise<DueTarget[]> {
  const rows = await claimTargets(deps.db, query)
  return rows.map(row => ({
    serviceId: row.id,
    owner: row.owner,
    url: row.url,
    isHealthy: row.isHealthy,
    healthCheck: row.healthCheck,
    upstreamHeaders: openHeaders(deps.secretBox, row),
    signingSecret: openServiceSecret(deps.secretBox, row),
  }))
}

/** Says whether a target is due. */
export const isAnyTargetDue = (deps: Pick<Deps, 'db'>): Promise<boolean> => isAnyDue(deps.db)

/** How many targets are probed in turn, by all gateways together. */
export const countProbedTargets = (deps: Pick<Deps, 'db'>): Promise<number> => countProbed(deps.db)
