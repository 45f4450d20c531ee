import { createHmac } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Queryable } from '../ports.ts'

/** Text of the digest by which gateways compare JWT_SECRET. */
const TEXT = 'the key of the sessions of this gateway'

const digestOf = (secret: string) => createHmac('sha256', secret).update(TEXT).digest('hex')

/** Stores which JWT_SECRET a gateway has, before its first lease. */
export async function storeSessionKey(db: Queryable, instanceId: string, secret: string): Promise<void> {
  await db.query(sql`
    insert into gateway_instances (id, lease_until, session_key)
    values (${instanceId}, clock_timestamp(), ${digestOf(secret)}) on conflict (id) do nothing`)
}

/**
 * Returns how many running gateways have another JWT_SECRET: they refuse the sessions that this one signs. Those of
 * versions that store none are not counted; neither is any on a schema that lacks the column.
 */
export async function countOtherSessionKeys(db: Queryable, secret: string): Promise<number> {
  const [row] = await db.query<{ others: number }>(sql`
    select count(*)::int as others from gateway_instances g
    where g.lease_until > clock_timestamp() and to_jsonb(g) ->> 'session_key' <> ${digestOf(secret)}`)
  return row?.others ?? 0
}
