import sql, { empty } from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import type { SealedEntry } from './seal-rules.ts'

/** Returns the accounts after an id, ordered by id. Amounts in micro-USDC. */
export function readAccountsAfter(
  db: Queryable,
  after: string,
  limit: number,
): Promise<{ id: string; posted: bigint; reserved: bigint }[]> {
  return db.query(
    sql`select id, posted, reserved from accounts where id > ${after} order by id limit ${limit}`,
  )
}

/** Returns the entries above one id up to another, ordered by id; null: from the first, or to the last. */
export function readEntriesBetween(
  db: Queryable,
  { after, upTo }: { after: bigint | null; upTo: bigint | null },
): Promise<(SealedEntry & { readonly id: bigint })[]> {
  return db.query(sql`
    select id, kind, account, amount,
           to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at, reference
    from entries
    where true ${after === null ? empty : sql`and id > ${after}`} ${upTo === null ? empty : sql`and id <= ${upTo}`}
    order by id`)
}

/** Returns the last entry id that was drawn, used or not. */
export async function lastEntryId(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ id: bigint }>(sql`
    select coalesce(pg_sequence_last_value(pg_get_serial_sequence('entries', 'id')::regclass), 0) as id`)
  return row?.id ?? 0n
}
