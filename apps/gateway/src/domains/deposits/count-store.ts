import sql from 'sql-template-tag'
import type { Queryable, Tx, VaultPlace } from '../../ports.ts'

/**
 * Number of deposits read from a vault, and the height up to which the vault's own count agreed. It does not count
 * transfers by EIP-3009 authorizations.
 */
export type Counted = {
  /** Number of deposits before the first block that is read; null if unknown, then counted as 0. */
  readonly base: bigint | null
  /** Number of deposits up to the given height, including those before the first block. */
  readonly recorded: bigint
  readonly agreedBlock: bigint | null
  readonly rereadBlock: bigint | null
}

/** Returns the number of deposits read up to a height. Only counts rows since the last agreement. */
export async function readCount(
  db: Queryable,
  { chainId, vault }: VaultPlace,
  upTo: bigint,
): Promise<Counted> {
  const [row] = await db.query<Counted>(sql`
    select c.deposit_base as base, c.agreed_block, c.reread_block,
           coalesce(c.agreed_count, c.deposit_base, 0) + (
             select count(*) from vault_deposits d
             where d.chain_id = c.chain_id and d.vault = c.vault and d.gone_at is null
               and d.authorization_nonce is null
               and d.block_number > coalesce(c.agreed_block, -1) and d.block_number <= ${upTo}) as recorded
    from vault_cursors c where c.chain_id = ${chainId} and c.vault = ${vault}`)
  if (row === undefined) throw new Error(`The vault ${vault} has never been followed.`)
  return row
}

/**
 * Returns the number of deposits read up to a height, all counted anew: a reorganisation may have moved some past the
 * height of the last agreement.
 */
export async function countAgain(
  db: Queryable,
  { chainId, vault }: VaultPlace,
  { base, upTo }: { base: bigint; upTo: bigint },
): Promise<bigint> {
  const [row] = await db.query<{ recorded: bigint }>(sql`
    select ${base}::bigint + count(*) as recorded from vault_deposits
    where chain_id = ${chainId} and vault = ${vault} and gone_at is null and authorization_nonce is null
      and block_number <= ${upTo}`)
  return row?.recorded ?? base
}

/** Stores the number of deposits before the first block that is read. */
export async function keepBase(db: Queryable, place: VaultPlace, base: bigint): Promise<void> {
  await db.query(sql`
    update vault_cursors set deposit_base = ${base} where chain_id = ${place.chainId} and vault = ${place.vault}`)
}

/** Stores the next block of a reread; null to start over. */
export async function keepReread(db: Queryable, place: VaultPlace, next: bigint | null): Promise<void> {
  await db.query(sql`
    update vault_cursors set reread_block = ${next} where chain_id = ${place.chainId} and vault = ${place.vault}`)
}

/** Stores the height up to which the vault's count agrees. A stored height never decreases. */
export async function keepAgreed(
  tx: Tx,
  place: VaultPlace,
  at: { upTo: bigint; counted: bigint; base: bigint },
): Promise<void> {
  await tx.query(sql`
    update vault_cursors
    set deposit_base = ${at.base}, agreed_block = ${at.upTo}, agreed_count = ${at.counted}, reread_block = null
    where chain_id = ${place.chainId} and vault = ${place.vault} and (agreed_block is null or agreed_block <= ${at.upTo})`)
}

/** Makes the next comparison count all deposits, after a reorganisation below the agreed height. */
export async function forgetAgreed(tx: Tx, place: VaultPlace): Promise<void> {
  await tx.query(sql`
    update vault_cursors set agreed_block = null, agreed_count = null, reread_block = null
    where chain_id = ${place.chainId} and vault = ${place.vault}`)
}
