import type { Usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import type { InvocationRow, OwnedCall } from './store.ts'

/** Permanent record of an ended call: its bill and its receipt. */
export type EndedRow = Pick<
  InvocationRow,
  | 'id'
  | 'credentialId'
  | 'serviceId'
  | 'requestHash'
  | 'status'
  | 'hold'
  | 'charged'
  | 'drawnAt'
  | 'finishedAt'
  | 'latencyMs'
  | 'attempts'
  | 'errorCode'
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'statedTotal'
  | 'processingReason'
> & {
  /** Cost of a metered call with known usage, in micro-USDC; null for others. */
  readonly cost: Usdc | null
  readonly preAuthMode: 'explicit' | 'auto' | null
  readonly maxInputTokens: bigint | null
  readonly maxOutputTokens: bigint | null
}

/** A call without its answer. */
export async function readEnded(db: Queryable, call: OwnedCall): Promise<EndedRow | null> {
  const place = ledgerPartitionOf(call.owner)
  const [row] = await db.query<EndedRow>(sql`
    select i.id, i.credential_id, i.service_id, i.request_hash,
      i.status, i.hold, i.charged, i.drawn_at, i.finished_at,
      i.latency_ms, i.attempts, i.error_code, m.input_tokens, m.output_tokens, m.cache_read_tokens,
      m.cache_write_tokens, m.stated_total, m.processing_reason, m.cost, m.pre_auth_mode,
      m.max_input_tokens, m.max_output_tokens
    from invocations i
    left join metered_calls m on m.invocation_id = i.id and (m.partition = ${place}::smallint or m.partition is null)
    where i.id = ${call.invocationId} and (i.partition = ${place}::smallint or i.partition is null)`)
  return row ?? null
}

/** Result of a pruning step. */
export type PrunedAnswers = {
  /** False: another gateway is pruning, and nothing was done. */
  readonly isOurTurn: boolean
  readonly answers: number
  readonly streams: number
  /** Start of the next step; null if there is no answer beyond `after`. */
  readonly last: string | null
}

/**
 * Deletes the answers, with their recorded streams, of calls drawn before a time, among the next `limit` after an id.
 * Ids are ordered by time, so old answers are at the start of the primary key; the age comes from the call itself, as
 * the clock of a gateway may have been wrong. In one statement, so an answer is never deleted without its stream; an
 * open call has no answer, so its stream stays. One gateway prunes at a time.
 *
 * @param query.of `free`: only calls that cost nothing
 */
export async function deleteOldAnswers(
  db: Queryable,
  query: { of: 'all' | 'free'; before: Date; after: string; limit: number },
): Promise<PrunedAnswers> {
  const table = query.of === 'free' ? sql`free_answers` : sql`invocation_answers`
  const [row] = await db.query<PrunedAnswers>(sql`
    with
      turn as materialized (
        select pg_try_advisory_xact_lock(hashtextextended('prune invocation_answers', 0)) as is_ours),
      page as materialized (
        select invocation_id from ${table}
        where (select is_ours from turn) and invocation_id > ${query.after}
        order by invocation_id limit ${query.limit}),
      old as materialized (
        select page.invocation_id from page join invocations i on i.id = page.invocation_id
        where i.drawn_at < ${query.before}),
      of_streams as (
        delete from invocation_streams s using old where s.invocation_id = old.invocation_id returning 1),
      of_free as (
        delete from free_answers f using old where f.invocation_id = old.invocation_id returning 1),
      of_answers as (
        delete from invocation_answers a using old where a.invocation_id = old.invocation_id returning 1)
    select (select is_ours from turn) as is_our_turn, (select count(*) from of_answers)::integer as answers,
      (select count(*) from of_streams)::integer as streams, (select max(invocation_id) from page) as last`)
  return row ?? { isOurTurn: false, answers: 0, streams: 0, last: null }
}
