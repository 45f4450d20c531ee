import { type Usdc, ZERO } from '@farebox/money'
import sql, { empty, type Sql } from 'sql-template-tag'
import { bigints, byteStrings, integers, smallints, texts, times } from '../../columns.ts'
import type { Queryable, Tx } from '../../ports.ts'
import type { WritePart } from '../../write-part.ts'
import { type HoldRequest, type KnownInvocation, keyOf } from './admit.ts'
import type { InvocationStatus, OpenCall, Quote, Settlement } from './rules.ts'
import type { Peer } from './watch-peers.ts'

/** What a settlement needs to know of the call it wants to end. */
export type CallState = { readonly status: InvocationStatus; readonly errorCode: string | null }

/** An invocation as it is kept, with its stored answer once it has one. */
export type InvocationRow = {
  readonly id: string
  readonly credentialId: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  readonly owner: string
  readonly provider: string
  readonly serviceId: string
  readonly status: InvocationStatus
  readonly hold: Usdc
  readonly charged: Usdc
  readonly fee: Usdc
  readonly drawnAt: Date
  readonly finishedAt: Date | null
  readonly latencyMs: number | null
  readonly attempts: number
  readonly errorCode: string | null
  /** Final usage of a metered call; null for any other, and as long as it is not known. */
  readonly inputTokens: bigint | null
  readonly outputTokens: bigint | null
  /** Of the input; null also for calls that older gateways ended. */
  readonly cacheReadTokens: bigint | null
  readonly cacheWriteTokens: bigint | null
  /** The total that the provider stated, when it is not input and output together. */
  readonly statedTotal: bigint | null
  /** While the usage of a metered call is awaited: since when, and why. */
  readonly processingSince: Date | null
  readonly processingReason: string | null
}

const columns = sql`
  i.id, i.credential_id as "credentialId", i.idempotency_key as "idempotencyKey", i.request_hash as "requestHash",
  i.owner, i.provider, i.service_id as "serviceId", i.status, i.hold, i.charged, i.fee, i.drawn_at as "drawnAt",
  i.finished_at as "finishedAt", i.latency_ms as "latencyMs", i.attempts, i.error_code as "errorCode",
  m.input_tokens as "inputTokens", m.output_tokens as "outputTokens", m.cache_read_tokens as "cacheReadTokens",
  m.cache_write_tokens as "cacheWriteTokens", m.stated_total as "statedTotal", m.processing_since as "processingSince",
  m.processing_reason as "processingReason"`
const invocations = sql`invocations i left join metered_calls m on m.invocation_id = i.id`

/** Invocations that the keys of these requests are known for. Read under the locks of their credentials. */
export async function readKnown(
  tx: Tx,
  requests: readonly HoldRequest[],
): Promise<Map<string, KnownInvocation>> {
  if (requests.length === 0) return new Map()
  const rows = await tx.query<KnownInvocation & { credentialId: string; idempotencyKey: string }>({
    name: 'invocations_read_known',
    text: `select i.id, i.request_hash as "requestHash", i.status, i.drawn_at as "drawnAt", i.hold,
                  i.credential_id as "credentialId", i.idempotency_key as "idempotencyKey"
           from unnest($1::text[], $2::text[]) as k (credential_id, idempotency_key)
           join invocations i on i.credential_id = k.credential_id and i.idempotency_key = k.idempotency_key`,
    values: [requests.map(request => request.credentialId), requests.map(request => request.idempotencyKey)],
  })
  return new Map(rows.map(row => [keyOf(row), row]))
}

/** States of calls that shall end. Read under the locks of their credentials. */
export async function readCallStates(tx: Tx, ids: readonly string[]): Promise<Map<string, CallState>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<CallState & { id: string }>({
    name: 'invocations_read_states',
    text: 'select id, status, error_code as "errorCode" from invocations where id = any($1::text[])',
    values: [ids],
  })
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

/** A call that was admitted. */
export type HeldCall = HoldRequest & { readonly quote: Quote; readonly drawnAt: Date }

/** The write of calls that were admitted. */
export function heldWrites(held: readonly HeldCall[], instanceId: string): WritePart {
  return {
    name: 'held',
    writes: `
      of_held as (
        insert into invocations
          (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, hold, drawn_at, status)
        select *, 'PENDING' from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[],
          $7::text[], $8::bigint[], $9::timestamptz[])
        returning id),
      of_opened as (
        insert into open_calls (invocation_id, instance_id) select id, $10 from of_held returning 1)`,
    checks: [['open_calls', 'select count(*) from of_opened']],
    decided: [held.length],
    values: [
      texts(held, call => call.invocationId),
      texts(held, call => call.credentialId),
      texts(held, call => call.idempotencyKey),
      byteStrings(held, call => call.requestHash),
      texts(held, call => call.owner),
      texts(held, call => call.quote.provider),
      texts(held, call => call.quote.serviceId),
      bigints(held, call => call.quote.hold),
      times(held, call => call.drawnAt),
      instanceId,
    ],
  }
}

/** How calls end for good. */
export type EndedCall = Extract<Settlement, { readonly answer: unknown }>

/**
 * The write of how calls ended, and of their answers; checks that each was open still.
 *
 * @param promotions what of the charges is promotional, by invocation
 */
export function endWrites(ended: readonly EndedCall[], promotions: ReadonlyMap<string, Usdc>): WritePart {
  return {
    name: 'ended',
    writes: `
      of_ended as (
        update invocations i
        set status = n.status, charged = n.charged, fee = n.fee, latency_ms = n.latency_ms, attempts = n.attempts,
            promotional = n.promotional, error_code = n.error_code, finished_at = coalesce(n.finished_at, clock_timestamp())
        from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::integer[], $6::smallint[], $7::text[],
          $8::text[], $11::timestamptz[], $12::bigint[])
          as n (id, status, charged, fee, latency_ms, attempts, error_code, ended_from, finished_at, promotional)
        where i.id = n.id and i.status = n.ended_from returning 1),
      of_closed as (delete from open_calls where invocation_id = any($1::text[]) returning 1),
      of_answers as (
        insert into invocation_answers (invocation_id, http_status, body)
        select * from unnest($1::text[], $9::smallint[], $10::text[]) returning 1)`,
    checks: [
      ['invocations', 'select count(*) from of_ended'],
      ['open_calls', 'select count(*) from of_closed'],
      ['invocation_answers', 'select count(*) from of_answers'],
    ],
    decided: [ended.length, ended.length, ended.length],
    values: [
      texts(ended, call => call.invocationId),
      texts(ended, call => call.status),
      bigints(ended, call => call.charge),
      bigints(ended, call => call.fee),
      integers(ended, call => call.latencyMs),
      smallints(ended, call => call.attempts),
      texts(ended, call => call.errorCode),
      texts(ended, call => call.from),
      smallints(ended, call => call.answer.httpStatus),
      texts(ended, call => call.answer.body),
      times(ended, call => call.finishedAt ?? null),
      bigints(ended, call => promotions.get(call.invocationId) ?? ZERO),
    ],
  }
}

/** The stored answer of a finished invocation; null when there is none (any more). */
export async function readAnswer(
  db: Queryable,
  id: string,
): Promise<{ httpStatus: number; body: string } | null> {
  const [row] = await db.query<{ httpStatus: number; body: string }>({
    name: 'invocations_read_answer',
    text: 'select http_status as "httpStatus", body from invocation_answers where invocation_id = $1',
    values: [id],
  })
  return row ?? null
}

/** One invocation with its answer. */
export async function readInvocation(
  db: Queryable,
  id: string,
): Promise<(InvocationRow & { readonly answer: string | null }) | null> {
  const [row] = await db.query<InvocationRow & { answer: string | null }>(sql`
    select ${columns}, a.body as answer
    from ${invocations} left join invocation_answers a on a.invocation_id = i.id where i.id = ${id}`)
  return row ?? null
}

/** What a list of calls may be narrowed by. */
export type InvocationFilter = {
  readonly credentialId?: string | undefined
  readonly serviceId?: string | undefined
  readonly status?: InvocationStatus | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/** Whose calls: those a wallet pays for, or those it earns by. In lower case. */
export type Party = { readonly owner: string } | { readonly provider: string }

/** A list of calls: whose, which, and from where on. */
export type InvocationQuery = {
  readonly party: Party
  readonly filter: InvocationFilter
  readonly beforeId: string | null
}

const columnOf = (party: Party) => ('owner' in party ? sql`i.owner` : sql`i.provider`)
const walletOf = (party: Party): string => ('owner' in party ? party.owner : party.provider)

/**
 * The wallet is asked for as a range, and is part of the order: asked for as a constant, the order would be that of ids
 * alone, and the planner would read everybody's newest calls to find those of one wallet among them.
 */
function ofParty({ party, beforeId }: InvocationQuery): Sql {
  const [column, wallet] = [columnOf(party), walletOf(party)]
  const until =
    beforeId === null ? sql`${column} <= ${wallet}` : sql`(${column}, i.id) < (${wallet}, ${beforeId})`
  return sql`${column} >= ${wallet} and ${until}`
}

function matching(filter: InvocationFilter): Sql {
  return sql`
    true ${filter.credentialId === undefined ? empty : sql`and i.credential_id = ${filter.credentialId}`}
    ${filter.serviceId === undefined ? empty : sql`and i.service_id = ${filter.serviceId}`}
    ${filter.status === undefined ? empty : sql`and i.status = ${filter.status}`}
    ${filter.from === undefined ? empty : sql`and i.drawn_at >= ${filter.from}`}
    ${filter.to === undefined ? empty : sql`and i.drawn_at < ${filter.to}`}`
}

/**
 * Calls of a wallet that match, newest first, below an id, among the next `scanMax` of its calls.
 *
 * @param query.scanMax calls that are looked at: what few of them match would be looked for among all there ever were
 */
export function listInvocations(
  db: Queryable,
  query: InvocationQuery & { limit: number; scanMax: number },
): Promise<InvocationRow[]> {
  const { party, filter, limit, scanMax } = query
  return db.query<InvocationRow>(sql`
    select ${columns} from (
      select * from invocations i where ${ofParty(query)} order by ${columnOf(party)} desc, i.id desc limit ${scanMax}) i
    left join metered_calls m on m.invocation_id = i.id
    where ${matching(filter)}
    order by ${columnOf(party)} desc, i.id desc limit ${limit}`)
}

/** The last of the next `scanMax` calls of a wallet, whether or not it matches; null when there are fewer. */
export async function findScanEnd(
  db: Queryable,
  query: InvocationQuery & { scanMax: number },
): Promise<{ id: string; drawnAt: Date } | null> {
  const [row] = await db.query<{ id: string; drawnAt: Date }>(sql`
    select last.id, i.drawn_at as "drawnAt" from (
      select i.id from invocations i where ${ofParty(query)}
      order by ${columnOf(query.party)} desc, i.id desc offset ${query.scanMax - 1} limit 1) last
    join invocations i on i.id = last.id`)
  return row ?? null
}

/** Calls of a wallet that match and are not over, newest first, below an id: of all wallets there are few. */
export function listOpenInvocations(
  db: Queryable,
  query: InvocationQuery & { limit: number },
): Promise<InvocationRow[]> {
  const { filter, limit } = query
  return db.query<InvocationRow>(sql`
    select ${columns} from open_calls o
    cross join lateral (select * from invocations where invocations.id = o.invocation_id offset 0) i
    left join metered_calls m on m.invocation_id = i.id
    where ${ofParty(query)} and ${matching(filter)}
    order by i.id desc limit ${limit}`)
}

/** The version of a lease: another after each renewal. */
const leaseVersion = sql`extract(epoch from g.lease_until)::text`

/**
 * Takes over pending calls that nobody carries any more, oldest first: those of gateways that gave their lease up; those
 * older than a lease of gateways that are silent, whose lease has lapsed and is as it was seen; and those of the asking
 * gateway that are older than its lease and not among what it knows to be under way. Of several gateways that ask, one
 * gets each call.
 */
export async function adoptOrphans(
  db: Queryable,
  query: {
    instanceId: string
    underWay: readonly string[]
    silent: readonly Peer[]
    leaseSeconds: number
    limit: number
    offset: number
  },
): Promise<OpenCall[]> {
  const silentIds = query.silent.map(({ id }) => id)
  const silentLeases = query.silent.map(({ lease }) => lease)
  // Both are read anew for a call that another gateway has taken over meanwhile: a join would not be.
  const hasLease = sql`exists (select from gateway_instances g where g.id = o.instance_id)`
  const isSilent = sql`exists (
    select from gateway_instances g
    join unnest(${silentIds}::text[], ${silentLeases}::text[]) as s (id, lease) on s.id = g.id
    where g.id = o.instance_id and g.lease_until < clock_timestamp() and ${leaseVersion} = s.lease)`
  return db.query<OpenCall>(sql`
    with orphans as (
      select i.* from open_calls o
      join invocations i on i.id = o.invocation_id
      where i.status = 'PENDING'
        and case when o.instance_id <> ${query.instanceId} and not ${hasLease} then true
              when i.drawn_at >= clock_timestamp() - make_interval(secs => ${query.leaseSeconds}) then false
              when o.instance_id = ${query.instanceId} then i.id <> all(${query.underWay}::text[])
              else ${isSilent} end
      order by i.id limit ${query.limit} offset ${query.offset} for update of o skip locked),
    adopted as (
      update open_calls o set instance_id = ${query.instanceId}
      from orphans where o.invocation_id = orphans.id returning orphans.id)
    select i.id as "invocationId", i.credential_id as "credentialId", i.owner, i.provider,
      i.service_id as "serviceId", i.hold, i.drawn_at as "drawnAt"
    from orphans i join adopted on adopted.id = i.id order by i.id`)
}

/**
 * Registers this gateway, or renews its lease.
 *
 * @returns the leases of the others, the longest first, and the start of the server process that told them
 */
export async function renewLease(
  db: Queryable,
  lease: { instanceId: string; seconds: number; peersMax: number },
): Promise<{ server: string; peers: Peer[] }> {
  const rows = await db.query<Peer & { id: string | null; server: string }>(sql`
    with renewed as (
      insert into gateway_instances (id, lease_until)
      values (${lease.instanceId}, clock_timestamp() + make_interval(secs => ${lease.seconds}))
      on conflict (id) do update set lease_until = excluded.lease_until returning 1)
    select g.id, ${leaseVersion} as lease, pg_postmaster_start_time()::text as server
    from renewed left join gateway_instances g on g.id <> ${lease.instanceId}
    order by g.lease_until desc nulls last limit ${lease.peersMax}`)
  const peers = rows.flatMap(({ id, lease: version }) => (id === null ? [] : [{ id, lease: version }]))
  return { server: rows[0]?.server ?? '', peers }
}

/** Gives the lease up, so that what this gateway may have left is swept at once. */
export async function endLease(db: Queryable, instanceId: string): Promise<void> {
  await db.query(sql`delete from gateway_instances where id = ${instanceId}`)
}

/** Forgets gateways that are long gone. */
export async function forgetDeadInstances(db: Queryable, olderThanSeconds: number): Promise<void> {
  await db.query(sql`
    delete from gateway_instances g
    where g.lease_until < clock_timestamp() - make_interval(secs => ${olderThanSeconds})
      and not exists (select 1 from open_calls o where o.instance_id = g.id)`)
}
