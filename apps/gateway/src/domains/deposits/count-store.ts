import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import type { VaultPlace } from './store.ts'

/** How many deposits were read from a vault, and how far the vault's own count agreed. */
export type Counted = {
  /** Deposits before the first block that is read; null while it is not known, and then taken for 0. */
  readonly base: bigint | null
  /** Deposits up to the height in question, those before the first block included. */
  readonly recorded: bigint
  readonly agreedBlock: bigint | null
  readonly rereadBlock: bigint | null
}

/** Returns how many deposits were read up to a height. Only those since the last agreement are counted one by one. */
export async function readCount(
  db: Queryable,
  { chainId, vault }: VaultPlace,
  upTo: bigint,
): Promise<Counted> {
  const [row] = await db.query<Counted>(sql`
    select c.deposit_base as base, c.agreed_block as "agreedBlock", c.reread_block as "rereadBlock",
           coalesce(c.agreed_count, c.deposit_base, 0) + (
             select count(*) from vault_deposits d
             where d.chain_id = c.chain_id and d.vault = c.vault and d.gone_at is null
               and d.block_number > coalesce(c.agreed_block, -1) and d.block_number <= ${upTo}) as recorded
    from vault_cursors c where c.chain_id = ${chainId} and c.vault = ${vault}`)
  if (row === undefined) throw new Error(`The vault ${vault} has never been followed.`)
  return row
}

/** Keeps how many deposits came before the first block that is read. */
export async function keepBase(db: Queryable, place: VaultPlace, base: bigint): Promise<void> {
  await db.query(sql`
    update vault_cursors set deposit_base = ${base} where chain_id = ${place.chainId} and vault = ${place.vault}`)
}

/** Keeps where a reading goes on that looks for what is missing; null: it begins anew. */
export async function keepReread(db: Queryable, place: VaultPlace, next: bigint | null): Promise<void> {
  await db.query(sql`
    update vault_cursors set reread_block = ${next} where chain_id = ${place.chainId} and vault = ${place.vault}`)
}

/** Keeps that the vault's count is what was read, up to a height; one that was kept before is never taken back. */
export async function keepAgreed(
  tx: Tx,
  place: VaultPlace,
  at: { upTo: bigint; counted: bigint; base: bigint },
): Promise<void> {
  await tx.query(sql`
    update vault_cursors
    set deposit_base = ${at.base}, agreed_block = ${at.upTo}, agreed_count = ${at.counted}, reread_block = null
    where chain_id = ${place.chainId} and vault = ${place.vault} and (agreed_block is null or agreed_block < ${at.upTo})`)
}

/** Has every deposit counted anew: a reorganisation has changed what was agreed on. */
export async function forgetAgreed(tx: Tx, place: VaultPlace): Promise<void> {
  await tx.query(sql`
    update vault_cursors set agreed_block = null, agreed_count = null, reread_block = null
    where chain_id = ${place.chainId} and vault = ${place.vault}`)
}
