import { GatewayError } from '@farebox/wire/errors'
import sql from 'sql-template-tag'
import type { Db, Queryable, Tx } from '../ports.ts'
import { RETRY_AFTER_SECONDS } from '../runtime/retry-after.ts'

/** Result of {@link onceOnly}. */
export type OnceOnly<Body> = { readonly body: Body; readonly isReplay: boolean }

/** Meaning of a key. `scope` is what the key is unique in, e.g. `withdrawals:0x...`. */
export type KeyedRequest = { readonly scope: string; readonly key: string; readonly requestHash: Buffer }

/** A request whose key is optional. */
type Request = Omit<KeyedRequest, 'key'> & { readonly key: string | null }

/**
 * Returns the stored answer of a key, for work that needs the network before it can begin: a replay must not. {@link
 * onceOnly} still decides.
 *
 * @returns null if the key has no answer yet
 * @throws GatewayError IDEMPOTENCY_CONFLICT if the key was used for another request
 */
export async function storedAnswer<Body>(db: Queryable, input: KeyedRequest): Promise<OnceOnly<Body> | null> {
  const { scope, key } = input
  const [stored] = await db.query<{ requestHash: Buffer; body: Body }>(
    sql`select request_hash, body from idempotent_responses where scope = ${scope} and key = ${key}`,
  )
  if (stored === undefined) return null
  if (!stored.requestHash.equals(input.requestHash)) throw new GatewayError('IDEMPOTENCY_CONFLICT')
  return { body: stored.body, isReplay: true }
}

/**
 * Does the work once per key and stores its answer in the same transaction. Retry with the same key to get the same
 * answer. Work that throws stores nothing: the key may be retried. Without a key, does the work and stores nothing.
 *
 * @param input meaning of the key
 * @param work  runs in the transaction; its answer must survive JSON
 * @throws GatewayError IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS, and whatever `work` throws
 */
export async function onceOnly<Body>(
  db: Db,
  { scope, key, requestHash }: Request,
  work: (tx: Tx) => Promise<Body>,
): Promise<OnceOnly<Body>> {
  if (key === null) return { body: await db.transaction(work), isReplay: false }
  return db.transaction(async tx => {
    const [lock] = await tx.query<{ locked: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended(${`${scope} ${key}`}, 0)) as locked`,
    )
    if (lock?.locked !== true) {
      throw new GatewayError('IDEMPOTENCY_IN_PROGRESS', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS.busy })
    }
    const stored = await storedAnswer<Body>(tx, { scope, key, requestHash })
    if (stored !== null) return stored
    const body = await work(tx)
    await tx.query(sql`
      insert into idempotent_responses (scope, key, request_hash, body)
      values (${scope}, ${key}, ${requestHash}, ${JSON.stringify(body)}::json)`)
    return { body, isReplay: false }
  })
}
