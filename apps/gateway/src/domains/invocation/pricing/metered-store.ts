import type { Usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import type { OwnedCall } from '../records/store.ts'
import type { InvocationStatus, OpenCall, Recording } from '../rules.ts'
import type { Metering } from './metering-rules.ts'

/** Events of a streamed call; null if it was not streamed or they are no longer stored. */
export async function readRecording(db: Queryable, call: OwnedCall): Promise<Recording | null> {
  const [row] = await db.query<Recording>(sql`
    select events, is_whole from invocation_streams
    where invocation_id = ${call.invocationId}
      and (partition = ${ledgerPartitionOf(call.owner)}::smallint or partition is null)`)
  return row ?? null
}

/** A call with pending or late usage, as needed for a report or a release. */
export type MeteredCall = OpenCall &
  Metering & {
    readonly status: InvocationStatus
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
    /** Platform fee when it was held, in basis points; null for calls of earlier versions. */
    readonly feeBps: number | null
    /** True if its row in open_calls exists, as it must until the call has ended. */
    readonly isOpen: boolean
  }

/** Members stored when a call gets pending usage. */
export function waitingCall(call: MeteredCall): OpenCall & Pick<MeteredCall, 'latencyMs' | 'attempts'> {
  const { invocationId, credentialId, owner, provider, serviceId, hold, drawnAt, latencyMs, attempts } = call
  return { invocationId, credentialId, owner, provider, serviceId, hold, drawnAt, latencyMs, attempts }
}

const meteredCall = sql`
  i.id as invocation_id, i.credential_id, i.owner, i.provider, i.hold, i.drawn_at,
  i.status, i.service_id, i.request_hash, i.latency_ms, i.attempts,
  i.charged, m.input_price as "inputPricePer1M", m.output_price as "outputPricePer1M",
  m.cache_read_price as "cacheReadPricePer1M", m.cache_write_price as "cacheWritePricePer1M",
  m.max_input_tokens::float8, m.max_output_tokens::float8, m.pre_auth_mode,
  m.cache_read_tokens, m.cache_write_tokens, m.is_streamed, m.processing_reason as reason, m.pending_result,
  m.input_tokens, m.output_tokens, m.cost, m.fee_bps,
  exists (select from open_calls o where o.invocation_id = i.id) as is_open`

/** Returns a provider's metered call. */
export async function readMeteredCall(
  db: Queryable,
  call: { invocationId: string; provider: string },
): Promise<MeteredCall | null> {
  const [row] = await db.query<MeteredCall>(sql`
    select ${meteredCall} from metered_calls m join invocations i on i.id = m.invocation_id
    where i.id = ${call.invocationId} and i.provider = ${call.provider}`)
  return row ?? null
}

/** Returns calls with usage pending for longer than a window, by the database clock, longest first. */
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
