import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql from 'sql-template-tag'
import type { Deps } from '../../../ports.ts'
import { requestKey } from '../attempt-keys.ts'
import type { InvocationStatus } from '../rules.ts'
import type { StoredAnswer } from './store.ts'

/** Calls of one prefix that are read, the newest. */
const CALLS_MAX = 200

/** A call of an earlier request. */
export type EarlierCall = {
  /** Position of the prefix of its key. */
  readonly prefix: number
  /** Key of the request. */
  readonly key: string
  readonly status: InvocationStatus
  /** The stored answer of a failed call; null if there is none. */
  readonly failure: StoredAnswer | null
}

/**
 * Returns the calls of a credential whose idempotency keys begin with a prefix and go on with the id of a call, newest
 * first: those that are open, and those that ended lately. All of them are of requests with the same hash.
 *
 * @param query.openSeconds  how long ago an open call can have begun
 * @param query.endedSeconds how long ago another can have ended
 */
export async function listEarlierCalls(
  deps: Pick<Deps, 'db'>,
  query: {
    credentialId: string
    owner: string
    prefixes: readonly string[]
    requestHash: Buffer
    openSeconds: number
    endedSeconds: number
  },
): Promise<readonly EarlierCall[]> {
  const { credentialId, prefixes, requestHash, openSeconds, endedSeconds } = query
  const rows = await deps.db.query<
    Omit<EarlierCall, 'failure'> & { httpStatus: number | null; body: string | null }
  >(sql`
    select (p.position - 1)::integer as prefix, i.idempotency_key as key, i.status, a.http_status, a.body
    from unnest(${prefixes}::text[]) with ordinality as p (prefix, position)
    cross join lateral (
      select * from invocations
      where credential_id = ${credentialId}
        and idempotency_key >= p.prefix || 'inv_0' and idempotency_key < p.prefix || 'inv_z'
        and (partition = ${ledgerPartitionOf(query.owner)}::smallint or partition is null)
      order by idempotency_key desc limit ${CALLS_MAX}) i
    left join invocation_answers a on a.invocation_id = i.id and i.status in ('FAILED_RETRYABLE', 'FAILED_FINAL')
    where i.request_hash = ${requestHash}
      and i.drawn_at > statement_timestamp() - make_interval(secs => ${openSeconds})
      and (i.finished_at is null or i.finished_at > statement_timestamp() - make_interval(secs => ${endedSeconds}))
    order by i.id desc`)
  return rows.map(({ httpStatus, body, key, ...call }) => ({
    ...call,
    key: requestKey(key),
    failure: httpStatus === null || body === null ? null : { httpStatus, body },
  }))
}
