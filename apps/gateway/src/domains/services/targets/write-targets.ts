import sql from 'sql-template-tag'
import type { Tx } from '../../../ports.ts'

/** Delay of the job's first probe of a new target, which is probed at registration; in case that failed, in seconds. */
const FIRST_PROBE_BY_SECONDS = 3

/**
 * Makes these the targets of a service; one that was there before keeps what the probes know of it.
 *
 * @param firstProbeBy delay of the job's first probe of a new target, in seconds
 */
export async function writeTargets(
  tx: Tx,
  serviceId: string,
  targets: readonly { url: string; weight: number; healthPath?: string | null | undefined }[],
  firstProbeBy: number = FIRST_PROBE_BY_SECONDS,
): Promise<void> {
  const urls = targets.map(target => target.url)
  await tx.query(
    sql`delete from service_targets where service_id = ${serviceId} and url <> all(${urls}::text[])`,
  )
  await tx.query(sql`
    insert into service_targets (service_id, url, weight, health_path, position, next_probe_at)
    select ${serviceId}, url, weight, health_path, position, now() + ${firstProbeBy}::float8 * interval '1 second'
    from unnest(${urls}::text[], ${targets.map(target => target.weight)}::double precision[],
      ${targets.map(target => target.healthPath ?? null)}::text[])
      with ordinality as t (url, weight, health_path, position)
    on conflict (service_id, url) do update
    set weight = excluded.weight, health_path = excluded.health_path, position = excluded.position`)
}

/** Starts the probes of a service's targets, now or after `next` seconds, or stops them. */
export async function schedule(tx: Tx, serviceId: string, next: 'now' | 'never' | number): Promise<void> {
  const seconds = next === 'now' ? 0 : next
  const at = seconds === 'never' ? sql`'infinity'` : sql`now() + ${seconds}::float8 * interval '1 second'`
  await tx.query(sql`update service_targets set next_probe_at = ${at} where service_id = ${serviceId}`)
}
