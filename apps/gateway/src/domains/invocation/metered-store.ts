import type { Usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import type { Metering } from './metering-rules.ts'
import type { OpenCall, Recording, Settlement } from './rules.ts'
import type { EndedCall, HeldCall } from './store.ts'

/** What a metered service's call was admitted on, for calls that are. */
export function insertMetered(tx: Tx, held: readonly HeldCall[]): Promise<unknown> {
  const metered = held.flatMap(({ invocationId, quote: { metering } }) =>
    metering === null ? [] : [{ invocationId, ...metering }],
  )
  if (metered.length === 0) return Promise.resolve()
  return tx.query({
    name: 'metered_calls_insert',
    text: `insert into metered_calls
             (invocation_id, input_price, output_price, max_output_tokens, pre_auth_mode, is_streamed)
           select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[])`,
    values: [
      metered.map(call => call.invocationId),
      metered.map(call => call.inputPricePer1M),
      metered.map(call => call.outputPricePer1M),
      metered.map(call => call.maxOutputTokens),
      metered.map(call => call.preAuthMode),
      metered.map(call => call.isStreamed),
    ],
  })
}

/**
 * Ends the metered part of calls that ended: those with final usage keep it, and none waits any more. Calls to
 * services with a fixed price have no such part.
 */
export function writeMeteredEnds(tx: Tx, ended: readonly EndedCall[]): Promise<unknown> {
  const metered = ended.filter(call => call.metered !== null || call.from === 'PROCESSING')
  if (metered.length === 0) return Promise.resolve()
  return tx.query({
    name: 'metered_calls_write_ends',
    text: `with
             ended as (
               select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])
                 as n (id, input_tokens, output_tokens, cost, reported_by)),
             of_metered_calls as (
               update metered_calls m
               set input_tokens = n.input_tokens, output_tokens = n.output_tokens, cost = n.cost,
                   reported_by = n.reported_by, processing_since = null, pending_result = null
               from ended n where m.invocation_id = n.id returning 1)
           select expect_rows((select count(*) from of_metered_calls), $6, 'metered_calls')`,
    values: [
      metered.map(call => call.invocationId),
      metered.map(call => call.metered?.usage.inputTokens ?? null),
      metered.map(call => call.metered?.usage.outputTokens ?? null),
      metered.map(call => call.metered?.cost ?? null),
      metered.map(call => call.metered?.reportedBy ?? null),
      metered.length,
    ],
  })
}

/** Settlements that leave a call waiting for its usage. */
export type AwaitedCall = Extract<Settlement, { readonly status: 'PROCESSING' }>

/** Writes calls that wait for their usage from now on (database time); their money stays held. */
export function writeAwaited(tx: Tx, awaited: readonly AwaitedCall[]): Promise<unknown> {
  return tx.query({
    name: 'invocations_write_awaited',
    text: `with
             awaited as (
               select * from unnest($1::text[], $2::integer[], $3::smallint[], $4::text[], $5::text[], $6::text[])
                 as n (id, latency_ms, attempts, error_code, reason, pending_result)),
             of_invocations as (
               update invocations i
               set status = 'PROCESSING', latency_ms = n.latency_ms, attempts = n.attempts, error_code = n.error_code
               from awaited n where i.id = n.id returning 1),
             of_metered_calls as (
               update metered_calls m
               set processing_since = clock_timestamp(), processing_reason = n.reason,
                   pending_result = n.pending_result
               from awaited n where m.invocation_id = n.id returning 1)
           select expect_rows((select count(*) from of_invocations), $7, 'invocations'),
                  expect_rows((select count(*) from of_metered_calls), $7, 'metered_calls')`,
    values: [
      awaited.map(call => call.invocationId),
      awaited.map(call => call.latencyMs),
      awaited.map(call => call.attempts),
      awaited.map(call => call.errorCode),
      awaited.map(call => call.reason),
      awaited.map(call => call.pendingResult),
      awaited.length,
    ],
  })
}

/** Keeps the events of streamed calls. */
export function insertRecordings(tx: Tx, settled: readonly Settlement[]): Promise<unknown> {
  const recorded = settled.flatMap(({ invocationId, recording }) =>
    recording === null ? [] : [{ invocationId, ...recording }],
  )
  if (recorded.length === 0) return Promise.resolve()
  return tx.query({
    name: 'invocation_streams_insert',
    text: `insert into invocation_streams (invocation_id, events, is_whole)
           select * from unnest($1::text[], $2::bytea[], $3::boolean[])`,
    values: [
      recorded.map(call => call.invocationId),
      recorded.map(call => call.events),
      recorded.map(call => call.isWhole),
    ],
  })
}

/** The events of a streamed call; null when it was not streamed, or they are kept no more. */
export async function readRecording(db: Queryable, invocationId: string): Promise<Recording | null> {
  const [row] = await db.query<Recording>(sql`
    select events, is_whole as "isWhole" from invocation_streams where invocation_id = ${invocationId}`)
  return row ?? null
}

/** A call that waits for its usage, or did: all that a report or a release needs of it. */
export type MeteredCall = OpenCall &
  Metering & {
    readonly status: 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL'
    readonly requestHash: Buffer
    readonly latencyMs: number | null
    readonly attempts: number
    readonly reason: string | null
    /** JSON text. */
    readonly pendingResult: string | null
    readonly inputTokens: bigint | null
    readonly outputTokens: bigint | null
    readonly cost: Usdc | null
    readonly charged: Usdc
  }

/** What its settlement keeps of a call that waits for its usage. */
export function waitingCall(call: MeteredCall): OpenCall & Pick<MeteredCall, 'latencyMs' | 'attempts'> {
  const { invocationId, credentialId, owner, provider, serviceId, hold, drawnAt, latencyMs, attempts } = call
  return { invocationId, credentialId, owner, provider, serviceId, hold, drawnAt, latencyMs, attempts }
}

const meteredCall = sql`
  i.id as "invocationId", i.credential_id as "credentialId", i.owner, i.provider, i.hold, i.drawn_at as "drawnAt",
  i.status, i.service_id as "serviceId", i.request_hash as "requestHash", i.latency_ms as "latencyMs", i.attempts,
  i.charged, m.input_price as "inputPricePer1M", m.output_price as "outputPricePer1M",
  m.max_output_tokens::integer as "maxOutputTokens", m.pre_auth_mode as "preAuthMode",
  m.is_streamed as "isStreamed", m.processing_reason as reason, m.pending_result as "pendingResult",
  m.input_tokens as "inputTokens", m.output_tokens as "outputTokens", m.cost`

/** A provider's metered call. */
export async function readMeteredCall(
  db: Queryable,
  call: { invocationId: string; provider: string },
): Promise<MeteredCall | null> {
  const [row] = await db.query<MeteredCall>(sql`
    select ${meteredCall} from metered_calls m join invocations i on i.id = m.invocation_id
    where i.id = ${call.invocationId} and i.provider = ${call.provider}`)
  return row ?? null
}

/** Calls that have waited for their usage since before a time, longest first. */
export function readUnreported(
  db: Queryable,
  query: { before: Date; limit: number },
): Promise<MeteredCall[]> {
  return db.query<MeteredCall>(sql`
    select ${meteredCall} from metered_calls m join invocations i on i.id = m.invocation_id
    where m.processing_since < ${query.before} and i.status = 'PROCESSING'
    order by m.processing_since limit ${query.limit}`)
}
