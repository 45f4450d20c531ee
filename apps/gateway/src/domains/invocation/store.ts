import type { Usdc } from '@farebox/money'
import sql, { empty } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { type HoldRequest, type KnownInvocation, keyOf } from './admit.ts'
import type { InvocationStatus, OpenCall, Quote, Settlement } from './rules.ts'

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
  /** While the usage of a metered call is awaited: since when, and why. */
  readonly processingSince: Date | null
  readonly processingReason: string | null
}

const columns = sql`
  i.id, i.credential_id as "credentialId", i.idempotency_key as "idempotencyKey", i.request_hash as "requestHash",
  i.owner, i.provider, i.service_id as "serviceId", i.status, i.hold, i.charged, i.fee, i.drawn_at as "drawnAt",
  i.finished_at as "finishedAt", i.latency_ms as "latencyMs", i.attempts, i.error_code as "errorCode",
  m.input_tokens as "inputTokens", m.output_tokens as "outputTokens", m.processing_since as "processingSince",
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

/** Writes calls that were admitted. */
export function insertHeld(tx: Tx, held: readonly HeldCall[], instanceId: string): Promise<unknown> {
  return tx.query({
    name: 'invocations_insert_held',
    text: `with held as (
             insert into invocations
               (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, hold, drawn_at, status)
             select *, 'PENDING' from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[],
               $6::text[], $7::text[], $8::bigint[], $9::timestamptz[])
             returning id)
           insert into open_calls (invocation_id, instance_id) select id, $10 from held`,
    values: [
      held.map(call => call.invocationId),
      held.map(call => call.credentialId),
      held.map(call => call.idempotencyKey),
      held.map(call => call.requestHash),
      held.map(call => call.owner),
      held.map(call => call.quote.provider),
      held.map(call => call.quote.serviceId),
      held.map(call => call.quote.hold),
      held.map(call => call.drawnAt),
      instanceId,
    ],
  })
}

/** How calls end for good. */
export type EndedCall = Extract<Settlement, { readonly answer: unknown }>

/** Writes how calls ended, and their answers, in one statement; fails when one of them is not open. */
export function writeSettled(tx: Tx, ended: readonly EndedCall[]): Promise<unknown> {
  return tx.query({
    name: 'invocations_write_settled',
    text: `with
             ended as (
               select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::integer[], $6::smallint[],
                 $7::text[], $8::smallint[], $9::text[], $11::text[])
                 as n (id, status, charged, fee, latency_ms, attempts, error_code, http_status, body, ended_from)),
             of_invocations as (
               update invocations i
               set status = n.status, charged = n.charged, fee = n.fee, latency_ms = n.latency_ms,
                   attempts = n.attempts, error_code = n.error_code, finished_at = clock_timestamp()
               from ended n where i.id = n.id and i.status = n.ended_from returning 1),
             of_open_calls as (delete from open_calls where invocation_id = any($1::text[]) returning 1),
             of_answers as (
               insert into invocation_answers (invocation_id, http_status, body)
               select id, http_status, body from ended returning 1)
           select expect_rows((select count(*) from of_invocations), $10, 'invocations'),
                  expect_rows((select count(*) from of_open_calls), $10, 'open_calls'),
                  expect_rows((select count(*) from of_answers), $10, 'invocation_answers')`,
    values: [
      ended.map(call => call.invocationId),
      ended.map(call => call.status),
      ended.map(call => call.charge),
      ended.map(call => call.fee),
      ended.map(call => call.latencyMs),
      ended.map(call => call.attempts),
      ended.map(call => call.errorCode),
      ended.map(call => call.answer.httpStatus),
      ended.map(call => call.answer.body),
      ended.length,
      ended.map(call => call.from),
    ],
  })
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

/**
 * Calls of a wallet, newest first, below an id. The wallet is asked for as a range, and is part of the order: asked for
 * as a constant, the order would be that of ids alone, and the planner would read everybody's newest calls to find those
 * of one wallet among them.
 */
export function listInvocations(
  db: Queryable,
  query: { party: Party; filter: InvocationFilter; beforeId: string | null; limit: number },
): Promise<InvocationRow[]> {
  const { party, filter, beforeId, limit } = query
  const [column, wallet] =
    'owner' in party ? ([sql`i.owner`, party.owner] as const) : ([sql`i.provider`, party.provider] as const)
  return db.query<InvocationRow>(sql`
    select ${columns} from ${invocations}
    where ${column} >= ${wallet}
      and ${beforeId === null ? sql`${column} <= ${wallet}` : sql`(${column}, i.id) < (${wallet}, ${beforeId})`}
      ${filter.credentialId === undefined ? empty : sql`and i.credential_id = ${filter.credentialId}`}
      ${filter.serviceId === undefined ? empty : sql`and i.service_id = ${filter.serviceId}`}
      ${filter.status === undefined ? empty : sql`and i.status = ${filter.status}`}
      ${filter.from === undefined ? empty : sql`and i.drawn_at >= ${filter.from}`}
      ${filter.to === undefined ? empty : sql`and i.drawn_at < ${filter.to}`}
    order by ${column} desc, i.id desc limit ${limit}`)
}

/**
 * Pending calls that nobody carries any more, oldest first: those of gateways whose lease has lapsed, and those of
 * the asking gateway that are older than its lease and not among what it knows to be under way.
 */
export async function readOrphans(
  db: Queryable,
  query: { instanceId: string; underWay: readonly string[]; leaseSeconds: number; limit: number },
): Promise<OpenCall[]> {
  return db.query<OpenCall>(sql`
    select i.id as "invocationId", i.credential_id as "credentialId", i.owner, i.provider,
      i.service_id as "serviceId", i.hold, i.drawn_at as "drawnAt"
    from open_calls o
    join invocations i on i.id = o.invocation_id
    left join gateway_instances g on g.id = o.instance_id
    where i.status = 'PENDING'
      and case when o.instance_id = ${query.instanceId}
            then i.drawn_at < clock_timestamp() - make_interval(secs => ${query.leaseSeconds})
                 and i.id <> all(${query.underWay}::text[])
            else g.id is null or g.lease_until < clock_timestamp() end
    order by i.id limit ${query.limit}`)
}

/** Registers this gateway, or renews its lease. */
export async function renewLease(
  db: Queryable,
  lease: { instanceId: string; seconds: number },
): Promise<void> {
  await db.query(sql`
    insert into gateway_instances (id, lease_until)
    values (${lease.instanceId}, clock_timestamp() + make_interval(secs => ${lease.seconds}))
    on conflict (id) do update set lease_until = excluded.lease_until`)
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
