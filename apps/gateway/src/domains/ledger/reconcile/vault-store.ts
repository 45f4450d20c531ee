import sql from 'sql-template-tag'
import type { ChainFacts, Queryable, Tx } from '../../../ports.ts'
import type { Surplus } from './vault-rules.ts'

type Vault = Pick<ChainFacts, 'chainId' | 'vault'>

/** State of a vault by the books, in one snapshot, in micro-USDC. */
export type VaultBooks = {
  /** Last block whose events are all recorded; -1 before the follower started. */
  readonly block: bigint
  /** Vault balance at that block. */
  readonly due: bigint
  readonly recorded: bigint
  readonly surplus: Surplus | null
  /** Deposits up to the block of `surplus` that were unknown then. */
  readonly foundSince: bigint
}

/**
 * Reads the vault balance by the books at the last read block: the vault account, plus recorded deposits that are not
 * credited, without deposits and with payments of later blocks.
 */
export async function readVaultBooks(db: Queryable, { chainId, vault }: Vault): Promise<VaultBooks> {
  const [row] = await db.query<
    Omit<VaultBooks, 'surplus'> & { surplusBlock: bigint | null } & Omit<Surplus, 'block' | 'recorded'>
  >(sql`
    with read_to as (
      select coalesce((
        select block_number from vault_cursors where chain_id = ${chainId} and vault = ${vault}), -1) as block),
    before as (select * from vault_surpluses where chain_id = ${chainId} and vault = ${vault}),
    paid_in as (
      select coalesce(sum(amount) filter (where block_number <= block), 0) as recorded,
             coalesce(sum(amount) filter (where block_number <= block and credited_at is null), 0) as uncredited,
             coalesce(sum(amount) filter (where block_number > block and credited_at is not null), 0) as ahead,
             coalesce(sum(amount) filter (where block_number <= (select block_number from before)), 0) as recorded_before
      from vault_deposits, read_to where chain_id = ${chainId}),
    paid_out as (
      select coalesce(sum(amount), 0) as ahead from withdrawals, read_to
      where status = 'COMPLETED' and redeemed_block > block)
    select r.block, i.recorded::bigint,
           (i.uncredited - i.ahead + o.ahead - a.posted)::bigint as due,
           b.block_number as surplus_block, b.seen, b.counted,
           (i.recorded_before - coalesce(b.recorded, 0))::bigint as found_since
    from read_to r, paid_in i, paid_out o, accounts a left join before b on true where a.id = 'vault'`)
  if (row === undefined) throw new Error('There is no vault account.')
  const { surplusBlock, seen, counted, ...books } = row
  const surplus =
    surplusBlock === null ? null : { block: surplusBlock, seen, counted, recorded: books.recorded }
  return { ...books, surplus }
}

/** Stores the surplus of a comparison unless one of a later block is stored. */
export async function keepSurplus(tx: Tx, { chainId, vault }: Vault, surplus: Surplus): Promise<void> {
  const { block, seen, counted, recorded } = surplus
  await tx.query(sql`
    insert into vault_surpluses as kept (chain_id, vault, block_number, seen, counted, recorded)
    values (${chainId}, ${vault}, ${block}, ${seen}, ${counted}, ${recorded})
    on conflict (chain_id, vault) do update
      set block_number = excluded.block_number, seen = excluded.seen, counted = excluded.counted,
          recorded = excluded.recorded
      where kept.block_number < excluded.block_number`)
}
