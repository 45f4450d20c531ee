import type { Deps } from '../../../ports.ts'
import { openServiceSecret } from '../signing-secret.ts'
import type { ProbeTarget } from './read-probe-plan.ts'
import { claimTargets, countProbed, isAnyDue } from './target-store.ts'
import { openHeaders } from './upstream-headers.ts'

/** A target whose probe is due. */
export type DueTarget = ProbeTarget & {
  /** Results of its probes so far. */
  readonly isHealthy: boolean
}

/**
 * Claims targets whose probe is due, by moving their next probe: of several gateways one gets each target. If a claim
 * is lost, the next probe makes up for it.
 *
 * @param query.limit           maximum targets claimed
 * @param query.intervalSeconds interval of a target's probes; jittered
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
    healthPath: row.healthPath,
    isHealthy: row.isHealthy,
    healthCheck: row.healthCheck,
    upstreamHeaders: openHeaders(deps.secretBox, row),
    signingSecret: openServiceSecret(deps.secretBox, row),
  }))
}

/** Returns true if a target is due. */
export const isAnyTargetDue = (
  deps: Pick<Deps, 'db'>,
  query: { intervalSeconds: number },
): Promise<boolean> => isAnyDue(deps.db, query)

/** Returns the number of targets probed periodically, by all gateways together. */
export const countProbedTargets = (deps: Pick<Deps, 'db'>): Promise<number> => countProbed(deps.db)
