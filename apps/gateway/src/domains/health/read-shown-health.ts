import { lastDays } from '@farebox/wire/buckets'
import { PROBES_SHOWN_MAX, SERVICE_DAYS_SHOWN } from '@farebox/wire/market'
import type { Deps, Queryable } from '../../ports.ts'
import { readShownTargets } from '../services/discovery/read-market-service.ts'
import { readProbes } from './store.ts'

const DAY_MS = 86_400_000
const SHARE_DIGITS = 4

/** The calls of a target in the last days. `age` is in days; today is 0. */
type TargetHistory = {
  readonly days: readonly { readonly age: number; readonly calls: number; readonly failed: number }[]
  readonly latencyMs: number | null
}

/** Reads the calls of the targets of a service, by URL. */
export type ReadTargetDays = (
  db: Queryable,
  query: { provider: string; serviceId: string; days: number; now: number },
) => Promise<ReadonlyMap<string, TargetHistory>>

type ShownHealthDeps = Pick<Deps, 'db' | 'clock'> & { readonly readTargetDays: ReadTargetDays }

/**
 * Returns the public result of the last day's probes of a service and of its calls of 30 days, with its targets by number.
 *
 * @param reference service id or agentToolName
 * @throws GatewayError SERVICE_NOT_FOUND, also if it is deleted, or it or its owner suspended
 */
export async function readShownHealth(deps: ShownHealthDeps, reference: string) {
  const { serviceId, provider, targets } = await readShownTargets(deps, reference)
  const now = deps.clock.now()
  const [probes, calls] = await Promise.all([
    readProbes(deps.db, {
      serviceId,
      urls: targets.map(({ url }) => url),
      since: new Date(now - DAY_MS),
      limitPerTarget: PROBES_SHOWN_MAX,
    }),
    deps.readTargetDays(deps.db, { provider, serviceId, days: SERVICE_DAYS_SHOWN, now }),
  ])
  const weight = targets.reduce((sum, target) => sum + target.weight, 0)
  return {
    status: 'success' as const,
    serviceId,
    targets: targets.map((target, index) => ({
      name: `Target ${index + 1}`,
      share: Number((target.weight / weight).toFixed(SHARE_DIGITS)),
      isHealthy: target.isHealthy,
      latencyMs: calls.get(target.url)?.latencyMs ?? null,
      days: lastDays(now, SERVICE_DAYS_SHOWN).map(({ age, date }) => {
        const day = calls.get(target.url)?.days.find(each => each.age === age)
        return { date, calls: day?.calls ?? 0, failed: day?.failed ?? 0 }
      }),
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
