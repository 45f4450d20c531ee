import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'

/** A probe as stored. */
export type ProbeRow = {
  readonly url: string
  readonly isHealthy: boolean
  readonly latencyMs: number
  readonly checkedAt: Date
}

/** Inserts probes. Landmarks are kept for a week, the others for a day. */
export async function insertProbes(
  tx: Tx,
  probes: readonly (ProbeRow & { serviceId: string; isLandmark: boolean })[],
): Promise<void> {
  const column = <Name extends keyof (typeof probes)[number]>(name: Name) => probes.map(row => row[name])
  await tx.query(sql`
    insert into health_probes (service_id, url, is_healthy, latency_ms, checked_at, is_landmark)
    select * from unnest(${column('serviceId')}::text[], ${column('url')}::text[], ${column('isHealthy')}::boolean[],
      ${column('latencyMs')}::integer[], ${column('checkedAt')}::timestamptz[], ${column('isLandmark')}::boolean[])`)
}

/** Returns the newest probes of each target since a time, newest first. */
export function readProbes(
  db: Queryable,
  query: { serviceId: string; urls: readonly string[]; since: Date; limitPerTarget: number },
): Promise<(ProbeRow & { source: 'probe' | 'traffic' })[]> {
  return db.query(sql`
    select p.* from unnest(${query.urls}::text[]) as target (url) cross join lateral (
      select url, is_healthy, latency_ms, checked_at, source
      from health_probes
      where service_id = ${query.serviceId} and url = target.url and checked_at >= ${query.since}
      order by checked_at desc limit ${query.limitPerTarget}) as p`)
}

/**
 * Deletes a batch of the probes before a time; without `landmarks` only those that are not landmarks. Returns their
 * number.
 */
export async function deleteProbes(
  db: Queryable,
  query: { before: Date; landmarks: boolean; limit: number },
): Promise<number> {
  const rows = await db.query<{ id: bigint }>(sql`
    delete from health_probes where id in (
      select id from health_probes
      where checked_at < ${query.before} and (${query.landmarks}::boolean or not is_landmark)
      order by checked_at limit ${query.limit})
    returning id`)
  return rows.length
}
