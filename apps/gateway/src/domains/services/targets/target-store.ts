import sql, { empty } from 'sql-template-tag'
import type { Address } from 'viem'
import type { Queryable, Tx } from '../../../ports.ts'
import { prepared } from '../../../sql/prepared.ts'
import { isCallable, type ServiceRow, signingSecretColumn } from '../store.ts'

/** A claimed target whose probe is due. */
export type ClaimedTarget = Pick<
  ServiceRow,
  'id' | 'owner' | 'healthCheck' | 'upstreamHeaders' | 'signature' | 'signingSecret'
> & {
  readonly url: string
  readonly healthPath: string | null
  readonly isHealthy: boolean
}

/**
 * Claims due targets, longest due first, by moving their next probe, with a jitter of a tenth either way. Skips rows
 * that another gateway is claiming. Services that cannot be called are moved too, but not returned.
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
      returning t.service_id, t.url, t.health_path, t.is_healthy)
    select s.id, s.owner, c.url, c.health_path, c.is_healthy, s.health_check,
      s.upstream_headers, s.signature, ${signingSecretColumn}
    from claimed c join services s on s.id = c.service_id where ${isCallable}`)
}

/**
 * Returns true if a target is due: the only query of a gateway with nothing to probe. Makes targets due whose next probe
 * is further away than any is: it was set before the database's clock was set back.
 */
export async function isAnyDue(db: Queryable, query: { intervalSeconds: number }): Promise<boolean> {
  const rows = await db.query(
    prepared(
      'targets_is_any_due',
      sql`
    with brought_forward as (
      update service_targets set next_probe_at = now()
      where next_probe_at > now() + make_interval(secs => ${query.intervalSeconds}::float8 * 2 + 60)
        and next_probe_at < 'infinity'
      returning 1)
    (select 1 from service_targets where next_probe_at <= now() limit 1)
    union all (select 1 from brought_forward limit 1)`,
    ),
  )
  return rows.length > 0
}

/** Returns the number of targets probed periodically. */
export async function countProbed(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    sql`select count(*) as count from service_targets where next_probe_at < 'infinity'`,
  )
  return Number(row?.count ?? 0n)
}

/** Key of a target. */
export type TargetKey = { readonly serviceId: string; readonly url: string }

/** State of a target, as needed to change it. */
export type LockedTarget = TargetKey & {
  readonly isHealthy: boolean
  readonly streak: number
  readonly isProbed: boolean
  readonly landmarkAt: Date | null
  readonly healthyThreshold: number
  readonly unhealthyThreshold: number
}

/**
 * Locks targets in the order of their keys. A target that its service no longer has is absent.
 *
 * @param isPatient false: skips targets locked by others
 */
export function lockTargets(
  tx: Tx,
  targets: readonly TargetKey[],
  isPatient: boolean,
): Promise<LockedTarget[]> {
  const ids = targets.map(({ serviceId }) => serviceId)
  const urls = targets.map(({ url }) => url)
  return tx.query<LockedTarget>(sql`
    select t.service_id, t.url, t.is_healthy, t.streak,
      t.last_probed_at is not null as is_probed, t.landmark_at,
      coalesce((s.health_check ->> 'healthyThreshold')::integer, 1) as healthy_threshold,
      coalesce((s.health_check ->> 'unhealthyThreshold')::integer, 1) as unhealthy_threshold
    from unnest(${ids}::text[], ${urls}::text[]) as n (service_id, url)
    join service_targets t on t.service_id = n.service_id and t.url = n.url
    join services s on s.id = t.service_id
    order by t.service_id, t.url for no key update of t ${isPatient ? empty : sql`skip locked`}`)
}

/** Returns those of these targets that exist. */
export async function existing(tx: Tx, targets: readonly TargetKey[]): Promise<TargetKey[]> {
  return tx.query<TargetKey>(sql`
    select t.service_id, t.url
    from unnest(${targets.map(({ serviceId }) => serviceId)}::text[],
      ${targets.map(({ url }) => url)}::text[]) as n (service_id, url)
    join service_targets t on t.service_id = n.service_id and t.url = n.url`)
}

/** Result of a probe for a locked target. `nextInSeconds` null: the time of its next probe stays. */
export type WrittenTarget = TargetKey & {
  readonly isHealthy: boolean
  readonly streak: number
  readonly latencyMs: number
  readonly checkedAt: Date
  readonly landmarkAt: Date | null
  readonly nextInSeconds: number | null
}

/** Writes probe results of locked targets, each once. */
export async function writeProbed(tx: Tx, rows: readonly WrittenTarget[]): Promise<void> {
  const column = <Name extends keyof WrittenTarget>(name: Name) => rows.map(row => row[name])
  await tx.query(sql`
    update service_targets t set is_healthy = n.is_healthy, streak = n.streak, latency_ms = n.latency_ms,
      last_probed_at = n.checked_at, landmark_at = n.landmark_at,
      next_probe_at = case when n.next_in is null or t.next_probe_at = 'infinity' then t.next_probe_at
        else now() + n.next_in * interval '1 second' end
    from unnest(${column('serviceId')}::text[], ${column('url')}::text[], ${column('isHealthy')}::boolean[],
      ${column('streak')}::integer[], ${column('latencyMs')}::integer[], ${column('checkedAt')}::timestamptz[],
      ${column('landmarkAt')}::timestamptz[], ${column('nextInSeconds')}::float8[])
      as n (service_id, url, is_healthy, streak, latency_ms, checked_at, landmark_at, next_in)
    where t.service_id = n.service_id and t.url = n.url`)
}

/** Stores whether the targets of a service name its owner. */
export async function writeTargetProof(
  tx: Tx,
  { serviceId, isVerified }: { serviceId: string; isVerified: boolean },
): Promise<void> {
  await tx.query(sql`
    update services set targets_verified = ${isVerified}
    where id = ${serviceId} and targets_verified <> ${isVerified}`)
}

/** Makes a healthy target due now. */
export async function makeDue(db: Queryable, { serviceId, url }: TargetKey): Promise<void> {
  await db.query(sql`
    update service_targets set next_probe_at = now()
    where service_id = ${serviceId} and url = ${url} and is_healthy and next_probe_at > now()
      and next_probe_at < 'infinity'`)
}

/** Stored state of a service, and its state by its targets. */
export type StandingRow = {
  readonly serviceId: string
  readonly owner: Address
  readonly agentToolName: string
  readonly serviceName: string
  /** Null before the first. */
  readonly wasUp: boolean | null
  readonly healthyTargets: number
  readonly totalTargets: number
}

/**
 * Locks the states of services, ordered by id, and then reads their targets. The targets of the batch must already be
 * locked, and the transaction must lock no more of them.
 */
export async function lockStandings(tx: Tx, serviceIds: readonly string[]): Promise<StandingRow[]> {
  const ids = [...new Set(serviceIds)].sort()
  await tx.query(sql`
    insert into service_standings (service_id) select unnest(${ids}::text[]) order by 1 on conflict do nothing`)
  await tx.query(sql`
    select 1 from service_standings where service_id = any(${ids}::text[]) order by service_id for update`)
  return tx.query<StandingRow>(sql`
    select s.id as service_id, s.owner, s.agent_tool_name, s.service_name,
      n.is_up as was_up, t.healthy as healthy_targets, t.total as total_targets
    from service_standings n join services s on s.id = n.service_id
    cross join lateral (
      select count(*) filter (where is_healthy)::integer as healthy, count(*)::integer as total
      from service_targets where service_id = s.id) as t
    where n.service_id = any(${ids}::text[])`)
}

/** Writes the states of services. */
export async function writeStandings(
  tx: Tx,
  rows: readonly { serviceId: string; isUp: boolean }[],
): Promise<void> {
  await tx.query(sql`
    update service_standings s set is_up = n.is_up, since = now()
    from unnest(${rows.map(({ serviceId }) => serviceId)}::text[], ${rows.map(({ isUp }) => isUp)}::boolean[])
      as n (service_id, is_up)
    where s.service_id = n.service_id`)
}
