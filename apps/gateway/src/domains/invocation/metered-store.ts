import type { Usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import { bigints, booleans, byteStrings, integers, smallints, texts } from '../../columns.ts'
import type { Queryable } from '../../ports.ts'
import type { WritePart } from '../../write-part.ts'
import type { Metering } from './metering-rules.ts'
import type { OpenCall, Recording, Settlement } from './rules.ts'
import type { EndedCall, HeldCall } from './store.ts'

/**
 * The write of what calls to metered services were admitted on; calls at a fixed price have no such part.
 *
 * @param feeBps the fee of the platform now, in basis points: what is reported later is charged by it
 */
export function meteredHoldWrites(held: readonly HeldCall[], feeBps: number): WritePart[] {
  const metered = held.flatMap(({ invocationId, quote: { metering } }) =>
    metering === null ? [] : [{ invocationId, ...metering }],
  )
  if (metered.length === 0) return []
  return [
    {
      name: 'metered',
      writes: `
        of_metered_holds as (
          insert into metered_calls
            (invocation_id, input_price, output_price, max_output_tokens, pre_auth_mode, is_streamed,
             cache_read_price, cache_write_price, max_input_tokens, fee_bps)
          select *, $10::integer from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[],
            $7::bigint[], $8::bigint[], $9::bigint[])
          returning 1)`,
      checks: [['metered_calls', 'select count(*) from of_metered_holds']],
      decided: [metered.length],
      values: [
        texts(metered, call => call.invocationId),
        bigints(metered, call => call.inputPricePer1M),
        bigints(metered, call => call.outputPricePer1M),
        bigints(metered, call => BigInt(call.maxOutputTokens)),
        texts(metered, call => call.preAuthMode),
        booleans(metered, call => call.isStreamed),
        bigints(metered, call => call.cacheReadPricePer1M),
        bigints(metered, call => call.cacheWritePricePer1M),
        bigints(metered, call => tokensIn(call.maxInputTokens)),
        feeBps,
      ],
    },
  ]
}

/**
 * The write that ends the metered part of calls that ended: those with final usage keep it, and none waits any more.
 * Calls at a fixed price have no such part.
 */
export function meteredEndWrites(ended: readonly EndedCall[]): WritePart[] {
  const metered = ended.filter(call => call.metered !== null || call.from === 'PROCESSING')
  if (metered.length === 0) return []
  return [
    {
      name: 'used',
      writes: `
        of_metered_ends as (
          update metered_calls m
          set input_tokens = n.input_tokens, output_tokens = n.output_tokens, cost = n.cost,
              reported_by = n.reported_by, cache_read_tokens = n.cache_read_tokens,
              cache_write_tokens = n.cache_write_tokens, stated_total = n.stated_total,
              processing_since = null, pending_result = null
          from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
            $8::bigint[])
            as n (id, input_tokens, output_tokens, cost, reported_by, cache_read_tokens, cache_write_tokens,
              stated_total)
          where m.invocation_id = n.id returning 1)`,
      checks: [['metered_calls', 'select count(*) from of_metered_ends']],
      decided: [metered.length],
      values: [
        texts(metered, call => call.invocationId),
        bigints(metered, call => tokensIn(call.metered?.usage.inputTokens)),
        bigints(metered, call => tokensIn(call.metered?.usage.outputTokens)),
        bigints(metered, call => call.metered?.cost ?? null),
        texts(metered, call => call.metered?.reportedBy ?? null),
        bigints(metered, call => tokensIn(call.metered?.usage.cacheReadTokens)),
        bigints(metered, call => tokensIn(call.metered?.usage.cacheWriteTokens)),
        bigints(metered, call => tokensIn(call.metered?.usage.statedTotalTokens)),
      ],
    },
  ]
}

const tokensIn = (count: number | null | undefined): bigint | null =>
  count === null || count === undefined ? null : BigInt(count)

/** Settlements that leave a call waiting for its usage. */
export type AwaitedCall = Extract<Settlement, { readonly status: 'PROCESSING' }>

/**
 * The write of calls that wait for their usage from now on (database time); their money stays held. Checks that each was
 * open still.
 */
export function awaitedWrites(awaited: readonly AwaitedCall[]): WritePart[] {
  if (awaited.length === 0) return []
  return [
    {
      name: 'awaited',
      writes: `
        of_awaited as (
          update invocations i
          set status = 'PROCESSING', latency_ms = n.latency_ms, attempts = n.attempts, error_code = n.error_code
          from unnest($1::text[], $2::integer[], $3::smallint[], $4::text[], $5::text[])
            as n (id, latency_ms, attempts, error_code, waits_from)
          where i.id = n.id and i.status = n.waits_from returning 1),
        of_metered_waits as (
          update metered_calls m
          set processing_since = clock_timestamp(), processing_reason = n.reason, pending_result = n.pending_result
          from unnest($1::text[], $6::text[], $7::text[]) as n (id, reason, pending_result)
          where m.invocation_id = n.id returning 1)`,
      checks: [
        ['invocations', 'select count(*) from of_awaited'],
        ['metered_calls', 'select count(*) from of_metered_waits'],
      ],
      decided: [awaited.length, awaited.length],
      values: [
        texts(awaited, call => call.invocationId),
        integers(awaited, call => call.latencyMs),
        smallints(awaited, call => call.attempts),
        texts(awaited, call => call.errorCode),
        texts(awaited, call => call.from),
        texts(awaited, call => call.reason),
        texts(awaited, call => call.pendingResult),
      ],
    },
  ]
}

/** The write of the events of streamed calls. */
export function recordingWrites(settled: readonly Settlement[]): WritePart[] {
  const recorded = settled.flatMap(({ invocationId, recording }) =>
    recording === null ? [] : [{ invocationId, ...recording }],
  )
  if (recorded.length === 0) return []
  return [
    {
      name: 'streams',
      writes: `
        of_recordings as (
          insert into invocation_streams (invocation_id, events, is_whole)
          select * from unnest($1::text[], $2::bytea[], $3::boolean[]) returning 1)`,
      checks: [['invocation_streams', 'select count(*) from of_recordings']],
      decided: [recorded.length],
      values: [
        texts(recorded, call => call.invocationId),
        byteStrings(recorded, call => call.events),
        booleans(recorded, call => call.isWhole),
      ],
    },
  ]
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
    readonly cacheReadTokens: bigint | null
    readonly cacheWriteTokens: bigint | null
    readonly cost: Usdc | null
    readonly charged: Usdc
    /** The fee of the platform when it was held, in basis points; null of calls of earlier versions. */
    readonly feeBps: number | null
    /** Whether its row in open_calls is there, as long as it is not over. */
    readonly isOpen: boolean
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
  m.cache_read_price as "cacheReadPricePer1M", m.cache_write_price as "cacheWritePricePer1M",
  m.max_input_tokens::integer as "maxInputTokens", m.max_output_tokens::integer as "maxOutputTokens", m.pre_auth_mode as "preAuthMode",
  m.cache_read_tokens as "cacheReadTokens", m.cache_write_tokens as "cacheWriteTokens",
  m.is_streamed as "isStreamed", m.processing_reason as reason, m.pending_result as "pendingResult",
  m.input_tokens as "inputTokens", m.output_tokens as "outputTokens", m.cost, m.fee_bps as "feeBps",
  exists (select from open_calls o where o.invocation_id = i.id) as "isOpen"`

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

/** Calls that have waited for their usage for longer than a window by the clock of the database, longest first. */
export function readUnreported(
  db: Queryable,
  query: { windowSeconds: number; limit: number; offset: number },
): Promise<MeteredCall[]> {
  return db.query<MeteredCall>(sql`
    select ${meteredCall} from metered_calls m join invocations i on i.id = m.invocation_id
    where m.processing_since < clock_timestamp() - make_interval(secs => ${query.windowSeconds})
      and i.status = 'PROCESSING'
    order by m.processing_since, m.invocation_id limit ${query.limit} offset ${query.offset}`)
}
