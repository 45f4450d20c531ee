import { EXAMPLE_LENGTH_MAX, type TrafficFailure } from '@farebox/wire/traffic'
import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { faultOf, type StoredFailure } from '../provider/verdict-rules.ts'

/** Calls that failed in the same way. */
export type FailureKind = StoredFailure & {
  readonly httpStatus: number | null
  readonly calls: number
  readonly lastId: string
  readonly lastAt: Date
}

/** Formats ways to fail, each with what the caller of its newest call got. */
export async function presentFailures(
  db: Queryable,
  kinds: readonly FailureKind[],
): Promise<TrafficFailure[]> {
  const ids = kinds.map(({ lastId }) => lastId)
  const rows = await db.query<{ invocationId: string; body: string }>(sql`
    select invocation_id, body from invocation_answers where invocation_id = any(${ids}::text[])`)
  const bodies = new Map(rows.map(({ invocationId, body }) => [invocationId, body]))
  return kinds.map(({ code, reason, upstreamStatus, httpStatus, calls, lastId, lastAt }) => ({
    fault: faultOf({ code, reason, upstreamStatus }),
    code,
    httpStatus,
    reason,
    upstreamStatus,
    ...exampleOf(bodies.get(lastId)),
    calls,
    lastAt: lastAt.toISOString(),
    lastInvocationId: lastId,
  }))
}

/** Returns the texts of a stored error body; nulls without one. */
function exampleOf(body: string | undefined): Pick<TrafficFailure, 'message' | 'upstreamBody'> {
  const { message, detail } = (body === undefined ? {} : JSON.parse(body)) as {
    message?: unknown
    detail?: { upstreamBody?: unknown }
  }
  return { message: start(message), upstreamBody: start(detail?.upstreamBody) }
}

const start = (text: unknown): string | null =>
  typeof text === 'string' && text !== ''
    ? text.replaceAll('\u0000', '\ufffd').slice(0, EXAMPLE_LENGTH_MAX)
    : null
