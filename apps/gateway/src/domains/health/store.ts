import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'

/** A probe as it is kept. */
export type ProbeRow = {
  readonly url: string
  readonly isHealthy: boolean
  readonly latencyMs: number
  readonly checkedAt: Date
}

/** Keeps a probe. */
export async function insertProbe(tx: Tx, probe: ProbeRow & { serviceId: string }): Promise<void> {
  await tx.query(sql`
    insert into health_probes (service_id, url, is_healthy, latency_ms, checked_at)
    values (${probe.serviceId}, ${probe.url}, ${probe.isHealthy}, ${probe.latencyMs}, ${probe.checkedAt})`)
}

/** The newest probes of each target since a time, newest first. */
export function readProbes(
  db: Queryable,
  query: { serviceId: string; urls: readonly string[]; since: Date; limitPerTarget: number },
): Promise<ProbeRow[]> {
  return db.query<ProbeRow>(sql`
    select p.* from unnest(${query.urls}::text[]) as target (url) cross join lateral (
      select url, is_healthy as "isHealthy", latency_ms as "latencyMs", checked_at as "checkedAt"
      from health_probes
      where service_id = ${query.serviceId} and url = target.url and checked_at >= ${query.since}
      order by checked_at desc limit ${query.limitPerTarget}) as p`)
}

/** Deletes some of the probes from before a time. Returns how many. */
export async function deleteProbes(db: Queryable, query: { before: Date; limit: number }): Promise<number> {
  const rows = await db.query<{ id: bigint }>(sql`
    delete from health_probes where id in (
      select id from health_probes where checked_at < ${query.before} order by checked_at limit ${query.limit})
    returning id`)
  return rows.length
}
