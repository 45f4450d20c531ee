import { type Usdc, usdc } from '@farebox/money'
import sql, { empty, raw } from 'sql-template-tag'
import type { Queryable, Tx } from '../../../ports.ts'
import { PART_LEVELS, type SumNode } from './liability-rules.ts'

/** Advisory lock of the gateway that makes a tree: one at a time. */
const TREE_LOCK = 4_207_719_003n
/** Approximate number of accounts per statement that makes leaves: one or two seconds of database work. */
export const ACCOUNTS_PER_SLICE = 500_000
const SLICES_MAX = 256
/** Not a parameter: GROUP BY needs the same expression everywhere. */
const LEVELS = raw(String(PART_LEVELS))

/** Balance of the vault at a block. */
export type Held = { readonly block: bigint; readonly balance: Usdc }

/** Sums that a tree covers; amounts in micro-USDC. */
export type TreeFacts = {
  readonly wallets: bigint
  readonly consumers: Usdc
  readonly providers: Usdc
  /** Fees and promotions, less losses; not in any leaf. */
  readonly platform: Usdc
  /** Part of the providers' sum that open tickets cover: the vault may have paid it. */
  readonly locked: Usdc
}

/** A tree of the liabilities to wallets. */
export type Tree = TreeFacts & {
  readonly id: bigint
  readonly root: Buffer
  /** Last time at which it was true. */
  readonly asOf: Date
  readonly held: Held | null
}

/** A tree with the seed of its salts and the number of slices of its wallets. */
export type SecretTree = Tree & { readonly secret: Buffer; readonly slices: number }

/** A stored row of nodes. */
export type Part = {
  readonly level: number
  readonly part: number
  readonly hashes: Buffer
  readonly sums: readonly string[]
}

/** Returns true if no other gateway makes a tree, and holds the lock until the transaction ends. */
export async function lockTrees(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${TREE_LOCK}) as locked`,
  )
  return row?.locked === true
}

/** Makes the transaction see one snapshot; must be its first statement. */
export async function seeOneSnapshot(tx: Tx): Promise<void> {
  await tx.query(sql`set transaction isolation level repeatable read`)
}

/** Returns the seconds since the newest tree was true; null before the first. */
export async function newestAgeSeconds(db: Queryable): Promise<number | null> {
  const [row] = await db.query<{ age: number | null }>(
    sql`select extract(epoch from clock_timestamp() - max(as_of))::float8 as age from liability_trees`,
  )
  return row?.age ?? null
}

/**
 * Marks the newest tree as true now if there was no entry since it was made.
 *
 * @param held vault balance read just before
 * @returns true if it is
 */
export async function renewTree(db: Queryable, held: Held | null): Promise<boolean> {
  const rows = await db.query(sql`
    update liability_trees set
      as_of = clock_timestamp(), block_number = ${held?.block ?? null}, vault_balance = ${held?.balance ?? null},
      locked = (select coalesce(sum(amount), 0) from tickets_out)
    where id = (select max(id) from liability_trees)
      and entry_id = coalesce(pg_sequence_last_value(pg_get_serial_sequence('entries', 'id')::regclass), 0)
    returning 1`)
  return rows.length > 0
}

/** Stores the newest vault balance with a tree. */
export async function recordHeld(db: Queryable, tree: bigint, held: Held): Promise<void> {
  await db.query(sql`
    update liability_trees set block_number = ${held.block}, vault_balance = ${held.balance} where id = ${tree}`)
}

/** Returns the number of wallet accounts, and how many are below zero: there must be none. */
export async function countAccounts(tx: Tx): Promise<{ accounts: number; overdrawn: number }> {
  const [row] = await tx.query<{ accounts: number; overdrawn: number }>(sql`
    select count(*)::integer as accounts, (count(*) filter (where posted < 0))::integer as overdrawn
    from accounts where strpos(id, ':') > 0`)
  if (row === undefined) throw new Error('The query of accounts returned no row.')
  return row
}

/** Returns the number of slices, a power of two, for a number of wallet accounts. */
export const slicesFor = (accounts: number, perSlice: number): number =>
  Math.min(SLICES_MAX, 2 ** Math.max(0, Math.ceil(Math.log2(accounts / perSlice))))

/** Returns the id of the next tree. */
export async function nextTreeId(tx: Tx): Promise<bigint> {
  const [row] = await tx.query<{ id: bigint }>(
    sql`select nextval(pg_get_serial_sequence('liability_trees', 'id')) as id`,
  )
  if (row === undefined) throw new Error('There is no id for a tree.')
  return row.id
}

/**
 * Inserts the leaves of one slice of the wallets, ordered by salt.
 *
 * @param from number of their first part
 * @returns how many wallets and parts they are
 */
export async function writeLeaves(
  tx: Tx,
  of: { tree: bigint; secret: Buffer; slices: number; slice: number; from: number },
): Promise<{ wallets: number; parts: number }> {
  const { tree, secret, slices, slice, from } = of
  const [row] = await tx.query<{ wallets: number; parts: number }>(sql`
    with
    owed as (
      select substr(id, 10) as wallet, sum(posted)::bigint as balance from accounts
      where strpos(id, ':') > 0 and liability_slice(substr(id, 10), ${slices}) = ${slice} group by 1),
    salted as (select wallet, balance, sha256(${secret}::bytea || convert_to(wallet, 'UTF8')) as salt from owed),
    placed as (
      select wallet, balance, salt, (row_number() over (order by salt) - 1)::integer as place from salted),
    written as (
      insert into liability_parts (tree, level, part, hashes, sums, slice, salt)
      select ${tree}, 0, ${from} + (place >> ${LEVELS}),
             string_agg(sha256('\\x00'::bytea || convert_to(liability_text(wallet, salt, balance), 'UTF8')),
               ''::bytea order by place),
             array_agg(balance order by place), ${slice},
             string_agg(salt, ''::bytea) filter (where place & ((1 << ${LEVELS}) - 1) = 0)
      from placed group by place >> ${LEVELS}
      returning cardinality(sums) as wallets)
    select coalesce(sum(wallets), 0)::integer as wallets, count(*)::integer as parts from written`)
  if (row === undefined) throw new Error('The query of leaves returned no row.')
  return row
}

/** Inserts the parts above the parts of a level. Returns how many. */
export async function writeAbove(tx: Tx, tree: bigint, level: number): Promise<number> {
  const rows = await tx.query(sql`
    insert into liability_parts (tree, level, part, hashes, sums)
    select ${tree}, ${level} + 1, p.part >> ${LEVELS},
           string_agg(n.hash, ''::bytea order by p.part), array_agg(n.sum order by p.part)
    from liability_parts p cross join lateral liability_node(p.hashes, p.sums) n
    where p.tree = ${tree} and p.level = ${level} group by p.part >> ${LEVELS}
    returning 1`)
  return rows.length
}

/** Returns the node above the only part of the topmost level; undefined without wallets. */
export async function topNode(tx: Tx, tree: bigint): Promise<SumNode | undefined> {
  const [row] = await tx.query<SumNode>(sql`
    select n.hash, n.sum from liability_parts p cross join lateral liability_node(p.hashes, p.sums) n
    where p.tree = ${tree} order by p.level desc limit 1`)
  return row
}

/** Inserts a tree whose parts are written; visible to others from the commit on. */
export async function writeTree(
  tx: Tx,
  tree: Omit<SecretTree, 'asOf'> & { readonly entryId: bigint | null },
): Promise<void> {
  const { id, root, secret, slices, held, entryId, wallets, consumers, providers, platform, locked } = tree
  await tx.query(sql`
    insert into liability_trees (id, root, secret, slices, wallets, consumers, providers, platform, locked, entry_id,
      block_number, vault_balance, as_of)
    overriding system value
    values (${id}, ${root}, ${secret}, ${slices}, ${wallets}, ${consumers}, ${providers}, ${platform}, ${locked},
      ${entryId}, ${held?.block ?? null}, ${held?.balance ?? null}, transaction_timestamp())`)
}

/**
 * Returns a tree, or undefined.
 *
 * @param root null: the newest
 */
export async function readTree(db: Queryable, root: Buffer | null): Promise<SecretTree | undefined> {
  const wanted = root === null ? empty : sql`where root = ${root}`
  const [row] = await db.query<
    Omit<SecretTree, 'held'> & { blockNumber: bigint | null; vaultBalance: bigint | null }
  >(sql`
    select id, root, secret, slices, wallets, consumers, providers, platform, locked, as_of,
           block_number, vault_balance
    from liability_trees ${wanted} order by id desc limit 1`)
  if (row === undefined) return undefined
  const { blockNumber, vaultBalance, ...tree } = row
  const isHeld = blockNumber !== null && vaultBalance !== null
  return { ...tree, held: isHeld ? { block: blockNumber, balance: usdc(vaultBalance) } : null }
}

/** Returns the part with a wallet's leaf, if it has one. */
export async function readLeafPart(
  db: Queryable,
  { id, slices }: SecretTree,
  of: { wallet: string; salt: Buffer },
): Promise<Part | undefined> {
  const [row] = await db.query<Part>(sql`
    select level, part, hashes, sums from liability_parts
    where tree = ${id} and level = 0 and slice = liability_slice(${of.wallet}, ${slices}) and salt <= ${of.salt}
    order by salt desc limit 1`)
  return row
}

/** Returns the parts above a part of leaves, from below. */
export function readPartsAbove(db: Queryable, tree: bigint, part: number): Promise<Part[]> {
  return db.query<Part>(sql`
    select level, part, hashes, sums from liability_parts
    where tree = ${tree} and level > 0 and part = ${part} >> (level * ${LEVELS}) order by level`)
}

/** Deletes trees that were last true before a time, except the newest. Returns how many. */
export async function deleteTrees(tx: Tx, keptSeconds: number): Promise<number> {
  const trees = await tx.query<{ id: bigint }>(sql`
    delete from liability_trees
    where as_of < clock_timestamp() - make_interval(secs => ${keptSeconds})
      and id < (select max(id) from liability_trees)
    returning id`)
  const ids = trees.map(({ id }) => id)
  if (ids.length > 0) await tx.query(sql`delete from liability_parts where tree = any(${ids}::bigint[])`)
  return ids.length
}
