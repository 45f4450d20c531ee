import type { Usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql, { empty, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { isOver } from '../../../sql/is-over.ts'
import { smallints, texts } from '../../../sql/pg-arrays.ts'
import { prepared } from '../../../sql/prepared.ts'
import type { Peer } from '../recovery/watch-peers.ts'
import type { InvocationStatus, OpenCall } from '../rules.ts'

/** A stored invocation, with its stored answer if it has one. */
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
  /** Final usage of a metered call; null for others, and while it is unknown. */
  readonly inputTokens: bigint | null
  readonly outputTokens: bigint | null
  /** Part of the input; also null for calls that older gateways settled. */
  readonly cacheReadTokens: bigint | null
  readonly cacheWriteTokens: bigint | null
  /** Total stated by the provider, if it differs from input plus output. */
  readonly statedTotal: bigint | null
  /** Since when and why the usage of a metered call is pending. */
  readonly processingSince: Date | null
  readonly processingReason: string | null
}

const columns = sql`
  i.id, i.credential_id, i.idempotency_key, i.request_hash,
  i.owner, i.provider, i.service_id, i.status, i.hold, i.charged, i.fee, i.drawn_at,
  i.finished_at, i.latency_ms, i.attempts, i.error_code, m.input_tokens, m.output_tokens, m.cache_read_tokens,
  m.cache_write_tokens, m.stated_total, m.processing_since, m.processing_reason`
const invocations = sql`invocations i left join metered_calls m on m.invocation_id = i.id`

/** A call and its payer, which determine where its rows are. */
export type OwnedCall = { readonly invocationId: string; readonly owner: string }

/** The stored answer of a call. */
export type StoredAnswer = { readonly httpStatus: number; readonly body: string }

/** Returns the stored answer to a call; null if there is none. */
export async function readAnswer(db: Queryable, call: OwnedCall): Promise<StoredAnswer | null> {
  return (await readAnswers(db, [call])).get(call) ?? null
}

/** Returns the stored answers to calls. */
export async function readAnswers(
  db: Queryable,
  calls: readonly OwnedCall[],
): Promise<ReadonlyMap<OwnedCall, StoredAnswer>> {
  const rows = await db.query<StoredAnswer & { position: bigint }>({
    name: 'invocations_read_answers',
    // By subselects: the planner, which sees the length of a parameter, would plan again for each length.
    text: `select k.position, a.http_status, a.body
           from unnest((select $1::text[]), (select $2::smallint[])) with ordinality as k (id, partition, position)
           cross join lateral (
             select * from invocation_answers
             where invocation_answers.invocation_id = k.id
               and (invocation_answers.partition = k.partition or invocation_answers.partition is null) offset 0) a`,
    values: [
      texts(calls, ({ invocationId }) => invocationId),
      smallints(calls, ({ owner }) => ledgerPartitionOf(owner)),
    ],
  })
  const answers = new Map<OwnedCall, StoredAnswer>()
  for (const { position, httpStatus, body } of rows) {
    const call = calls[Number(position) - 1]
    if (call !== undefined) answers.set(call, { httpStatus, body })
  }
  return answers
}

/** Returns one invocation with its answer. */
export async function readInvocation(
  db: Queryable,
  id: string,
): Promise<(InvocationRow & { readonly answer: string | null }) | null> {
  const [row] = await db.query<InvocationRow & { answer: string | null }>(sql`
    select ${columns}, a.body as answer
    from ${invocations} left join invocation_answers a on a.invocation_id = i.id where i.id = ${id}`)
  return row ?? null
}

/** Filters of a list of calls. */
export type InvocationFilter = {
  readonly credentialId?: string | undefined
  readonly serviceId?: string | undefined
  /** Family of the called service, or else its agentToolName. */
  readonly model?: string | undefined
  /** As shown: that of the request, see attempt-keys.ts. */
  readonly idempotencyKey?: string | undefined
  /** `FAILED`: either of the failed statuses. */
  readonly status?: InvocationStatus | 'FAILED' | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/** Party of the calls: the wallet that pays or the one that earns. In lower case. */
export type Party = { readonly owner: string } | { readonly provider: string }

/** A list of calls: party, filters and start. */
export type InvocationQuery = {
  readonly party: Party
  readonly filter: InvocationFilter
  readonly beforeId: string | null
}

const columnOf = (party: Party) => ('owner' in party ? sql`i.owner` : sql`i.provider`)
const walletOf = (party: Party): string => ('owner' in party ? party.owner : party.provider)

/**
 * The wallet is queried as a range and is part of the order: with a constant the order would be by id alone, and the
 * planner would scan the newest calls of all wallets.
 */
function ofParty({ party, beforeId }: InvocationQuery): Sql {
  const [column, wallet] = [columnOf(party), walletOf(party)]
  const until =
    beforeId === null ? sql`${column} <= ${wallet}` : sql`(${column}, i.id) < (${wallet}, ${beforeId})`
  return sql`${column} >= ${wallet} and ${until}`
}

/** The key of a call as it is shown: see attempt-keys.ts. */
const shownKey = sql`regexp_replace(split_part(i.idempotency_key, '§', 1), '^retry[0-9][0-9a-f]{64}(?=inv_)', '')`

/** The name of the model of an LLM service `s`. */
export const modelName = sql`coalesce(s.model_family, s.agent_tool_name)`

const servicesOf = (model: string) => sql`
  select s.id from services s where s.service_kind = 'llm'
    and (s.model_family = ${model} or s.model_family is null and s.agent_tool_name = ${model})`

const statusesOf = (status: InvocationStatus | 'FAILED') =>
  status === 'FAILED' ? ['FAILED_RETRYABLE', 'FAILED_FINAL'] : [status]

function matching(filter: InvocationFilter): Sql {
  return sql`
    true ${filter.credentialId === undefined ? empty : sql`and i.credential_id = ${filter.credentialId}`}
    ${filter.serviceId === undefined ? empty : sql`and i.service_id = ${filter.serviceId}`}
    ${filter.model === undefined ? empty : sql`and i.service_id = any(array(${servicesOf(filter.model)}))`}
    ${filter.idempotencyKey === undefined ? empty : sql`and ${shownKey} = ${filter.idempotencyKey}`}
    ${filter.status === undefined ? empty : sql`and i.status = any(${statusesOf(filter.status)}::text[])`}
    ${filter.from === undefined ? empty : sql`and i.drawn_at >= ${filter.from}`}
    ${filter.to === undefined ? empty : sql`and i.drawn_at < ${filter.to}`}`
}

/**
 * Returns matching calls of a wallet below an id, newest first, among the next `scanMax` of its calls.
 *
 * @param query.scanMax maximum calls scanned: a selective filter would scan all calls ever made
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

/** Returns the last of the next `scanMax` calls of a wallet, matching or not; null if there are fewer. */
export async function findScanEnd(
  db: Queryable,
  query: InvocationQuery & { scanMax: number },
): Promise<{ id: string; drawnAt: Date } | null> {
  const [row] = await db.query<{ id: string; drawnAt: Date }>(sql`
    select last.id, i.drawn_at from (
      select i.id from invocations i where ${ofParty(query)}
      order by ${columnOf(query.party)} desc, i.id desc offset ${query.scanMax - 1} limit 1) last
    join invocations i on i.id = last.id`)
  return row ?? null
}

/** Returns matching open calls of a wallet below an id, newest first: of all wallets there are few. */
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

/** More than the longest lease. */
const LEASE_MAX = sql`interval '2 hours'`

/** Version of a lease: changes with each renewal. */
const leaseVersion = sql`extract(epoch from g.lease_until)::text`

/**
 * Takes over orphaned pending calls, oldest first: of gateways that gave up their lease; of silent gateways, if the
 * call is older than the lease and the lease is unchanged; and of the asking gateway, if the call is older than its
 * lease and not in flight. A call from before the database's clock was set back is old. Of several gateways that ask,
 * one gets each call.
 */
export async function adoptOrphans(
  db: Queryable,
  query: {
    instanceId: string
    inFlight: readonly string[]
    silent: readonly Peer[]
    leaseSeconds: number
    limit: number
    offset: number
  },
): Promise<OpenCall[]> {
  const lease = sql`make_interval(secs => ${query.leaseSeconds})`
  const silentIds = query.silent.map(({ id }) => id)
  const silentLeases = query.silent.map(({ lease }) => lease)
  // Both are read again for a call that another gateway took over meanwhile: a join would not be.
  const hasLease = sql`exists (select from gateway_instances g where g.id = o.instance_id)`
  const isSilent = sql`exists (
    select from gateway_instances g
    join unnest(${silentIds}::text[], ${silentLeases}::text[]) as s (id, lease) on s.id = g.id
    where g.id = o.instance_id and ${isOver(sql`g.lease_until`, LEASE_MAX, sql`clock_timestamp()`)}
      and ${leaseVersion} = s.lease)`
  return db.query<OpenCall>(sql`
    with orphans as (
      select i.* from open_calls o
      join invocations i on i.id = o.invocation_id
      where i.status = 'PENDING'
        and case when o.instance_id <> ${query.instanceId} and not ${hasLease} then true
              when i.drawn_at between clock_timestamp() - ${lease} and clock_timestamp() + ${lease} then false
              when o.instance_id = ${query.instanceId} then i.id <> all(${query.inFlight}::text[])
              else ${isSilent} end
      order by i.id limit ${query.limit} offset ${query.offset} for update of o skip locked),
    adopted as (
      update open_calls o set instance_id = ${query.instanceId}
      from orphans where o.invocation_id = orphans.id returning orphans.id)
    select i.id as invocation_id, i.credential_id, i.owner, i.provider, i.service_id, i.hold, i.drawn_at
    from orphans i join adopted on adopted.id = i.id order by i.id`)
}

/**
 * Registers this gateway or renews its lease.
 *
 * @returns the leases of the others, longest first, and the start time of the answering server process
 */
export async function renewLease(
  db: Queryable,
  lease: { instanceId: string; seconds: number; peersMax: number },
): Promise<{ server: string; peers: Peer[] }> {
  const rows = await db.query<Peer & { id: string | null; server: string }>(
    prepared(
      'instances_renew_lease',
      sql`
    with renewed as (
      insert into gateway_instances (id, lease_until)
      values (${lease.instanceId}, clock_timestamp() + make_interval(secs => ${lease.seconds}))
      on conflict (id) do update set lease_until = excluded.lease_until returning 1)
    select g.id, ${leaseVersion} as lease, pg_postmaster_start_time()::text as server
    from renewed left join gateway_instances g on g.id <> ${lease.instanceId}
    order by g.lease_until desc nulls last limit ${lease.peersMax}`,
    ),
  )
  const peers = rows.flatMap(({ id, lease: version }) => (id === null ? [] : [{ id, lease: version }]))
  return { server: rows[0]?.server ?? '', peers }
}

/** Gives up the lease, so that calls left by this gateway are recovered at once. */
export async function endLease(db: Queryable, instanceId: string): Promise<void> {
  await db.query(sql`delete from gateway_instances where id = ${instanceId}`)
}

/** Deletes gateways that are long gone. */
export async function forgetDeadInstances(db: Queryable, olderThanSeconds: number): Promise<void> {
  await db.query(sql`
    delete from gateway_instances g
    where g.lease_until < clock_timestamp() - make_interval(secs => ${olderThanSeconds})
      and not exists (select 1 from open_calls o where o.instance_id = g.id)`)
}
