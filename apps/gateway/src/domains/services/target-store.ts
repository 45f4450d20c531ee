import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { isCallable, type ServiceRow } from './store.ts'

/** A due target that was claimed. */
export type ClaimedTarget = Pick<ServiceRow, 'id' | 'healthCheck' | 'upstreamHeaders'> & {
  readonly url: string
}

/**
 * Claims due targets by moving their next probe on, with jitter of a tenth either way. Rows that another gateway
 * is claiming are skipped. Services that cannot be called are moved on too and not returned.
 */
export function claimTargets(
  db: Queryable,
  query: { limit: number; intervalSeconds: number },
): Promise<ClaimedTarget[]> {
  return db.query<ClaimedTarget>(sql`
    with due as (
      select service_id, url from service_targets where next_probe_at <= now()
      order by next_probe_at limit ${query.limit} for update skip locked),
    claimed as (
      update service_targets t
      set next_probe_at = now() + ${query.intervalSeconds}::float8 * (0.9 + 0.2 * random()) * interval '1 second'
      from due where t.service_id = due.service_id and t.url = due.url
      returning t.service_id, t.url)
    select s.id, c.url, s.health_check as "healthCheck", s.upstream_headers as "upstreamHeaders"
    from claimed c join services s on s.id = c.service_id where ${isCallable}`)
}

/** What is known of a target, and what it takes to change that. */
export type LockedTarget = {
  readonly isHealthy: boolean
  readonly streak: number
  readonly isProbed: boolean
  readonly healthyThreshold: number
  readonly unhealthyThreshold: number
}

/** Locks a target; undefined when the service has it no more. */
export async function lockTarget(
  tx: Tx,
  target: { serviceId: string; url: string },
): Promise<LockedTarget | undefined> {
  const [row] = await tx.query<LockedTarget>(sql`
    select t.is_healthy as "isHealthy", t.streak, t.last_probed_at is not null as "isProbed",
      coalesce((s.health_check ->> 'healthyThreshold')::integer, 1) as "healthyThreshold",
      coalesce((s.health_check ->> 'unhealthyThreshold')::integer, 1) as "unhealthyThreshold"
    from service_targets t join services s on s.id = t.service_id
    where t.service_id = ${target.serviceId} and t.url = ${target.url} for update of t`)
  return row
}

/** Writes what a probe made of a locked target. */
export async function writeProbe(
  tx: Tx,
  probe: {
    serviceId: string
    url: string
    isHealthy: boolean
    streak: number
    latencyMs: number
    checkedAt: Date
    nextInSeconds: number
  },
): Promise<void> {
  await tx.query(sql`
    update service_targets set is_healthy = ${probe.isHealthy}, streak = ${probe.streak},
      latency_ms = ${probe.latencyMs}, last_probed_at = ${probe.checkedAt},
      next_probe_at = case when next_probe_at = 'infinity' then next_probe_at
        else now() + ${probe.nextInSeconds}::float8 * interval '1 second' end
    where service_id = ${probe.serviceId} and url = ${probe.url}`)
}
