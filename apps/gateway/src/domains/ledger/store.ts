import { type Usdc, usdc } from '@farebox/money'
import sql, { empty } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { bigints, texts } from '../../sql/pg-arrays.ts'
import type { AccountState } from './rules.ts'

/** An entry to append. */
export type NewEntry = { kind: string; reference: string; account: string; amount: bigint }

type StoredAccount = { id: string; posted: bigint; reserved: bigint; promotional: bigint }

const stateOf = ({ posted, reserved, promotional }: StoredAccount): AccountState => ({
  posted: usdc(posted),
  reserved: usdc(reserved),
  promotional: usdc(promotional),
})

/** A stored entry. */
export type EntryRow = NewEntry & { id: bigint; createdAt: Date }

/**
 * Locks accounts and reads them, always ordered by id: two batches that lock in different orders deadlock. Missing
 * accounts are inserted with zeros first, so that they can be locked.
 */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<Map<string, AccountState>> {
  const found = await selectForUpdate(tx, ids)
  if (found.size === ids.length) return found
  await tx.query(sql`
    insert into accounts (id) select id from unnest(${ids}::text[]) as id order by id on conflict do nothing`)
  return selectForUpdate(tx, ids)
}

/**
 * Locks all or none: a lock on existing accounts, held while others are inserted, would be out of order, and two
 * transactions with the same new account would deadlock.
 */
async function selectForUpdate(tx: Tx, ids: readonly string[]): Promise<Map<string, AccountState>> {
  const rows = await tx.query<StoredAccount>({
    text: `select id, posted, reserved, promotional from accounts
           where id = any($1::text[])
             and (select count(*) from accounts where id = any($1::text[])) = cardinality($1::text[])
           order by id for update`,
    values: [ids],
  })
  return new Map(rows.map(row => [row.id, stateOf(row)]))
}

/**
 * Writes the states of locked accounts and their entries. Not prepared, like the locking statement: a plan cached while
 * there were few accounts would read all of them.
 */
export function writeBooks(
  tx: Tx,
  accounts: ReadonlyMap<string, AccountState>,
  entries: readonly NewEntry[],
): Promise<unknown> {
  const rows = [...accounts]
  return tx.query({
    text: `
      with of_accounts as (
        update accounts a set posted = n.posted, reserved = n.reserved, promotional = n.promotional
        from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as n (id, posted, reserved, promotional)
        where a.id = n.id)
      insert into entries (kind, reference, account, amount)
      select * from unnest($5::text[], $6::text[], $7::text[], $8::bigint[])`,
    values: [
      texts(rows, ([id]) => id),
      bigints(rows, ([, state]) => state.posted),
      bigints(rows, ([, state]) => state.reserved),
      bigints(rows, ([, state]) => state.promotional),
      texts(entries, entry => entry.kind),
      texts(entries, entry => entry.reference),
      texts(entries, entry => entry.account),
      bigints(entries, entry => entry.amount),
    ],
  })
}

/** Returns account states without a lock; missing accounts are absent. */
export async function readAccounts(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, AccountState>> {
  const rows = await db.query<StoredAccount>(
    sql`select id, posted, reserved, promotional from accounts where id = any(${ids}::text[])`,
  )
  return new Map(rows.map(row => [row.id, stateOf(row)]))
}

/** Returns entries of accounts below an entry id, newest first. */
export function readEntries(
  db: Queryable,
  query: { accounts: readonly string[]; beforeId: bigint | null; limit: number },
): Promise<EntryRow[]> {
  const { accounts, beforeId, limit } = query
  const below = beforeId === null ? empty : sql`and id < ${beforeId}`
  // One account at a time: for several at once, ordering by id would read all their entries.
  return db.query<EntryRow>(sql`
    select newest.* from unnest(${accounts}::text[]) as wanted (account) cross join lateral (
      select id, kind, reference, account, amount, created_at from entries
      where account = wanted.account ${below} order by id desc limit ${limit}) as newest
    order by id desc limit ${limit}`)
}

/** Returns the platform fees paid by a wallet's own calls, in micro-USDC. */
export async function sumFeesPaid(db: Queryable, wallet: string): Promise<Usdc> {
  const [row] = await db.query<{ fees: bigint }>(
    sql`select coalesce(sum(fee), 0)::bigint as fees from invocation_fees where owner = ${wallet}`,
  )
  return usdc(row?.fees ?? 0n)
}
