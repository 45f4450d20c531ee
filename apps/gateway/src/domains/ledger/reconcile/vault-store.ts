import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import type { Queryable, Tx, VaultPlace } from '../../../ports.ts'
import type { Surplus } from './vault-rules.ts'

/** State of a vault by the books, in one snapshot, in micro-USDC. */
export type VaultBooks = {
  /** Last block whose events are all recorded; -1 before the follower started. */
  readonly block: bigint
  /** Its hash; null before the follower started, and in databases of earlier versions. */
  readonly blockHash: Hex | null
  /** Vault balance at that block. */
  readonly due: bigint
  /** Number of the newest recorded deposit; 0 if there is none. */
  readonly newestDeposit: bigint
  readonly surplus: Surplus | null
  /** Deposits up to the block of `surplus` that were unknown then. */
  readonly foundSince: bigint
}

/**
 * Reads the vault balance by the books at the last read block: the vault account, plus recorded deposits that are not
 * credited, without deposits and with payments that the chain does not have up to this block.
 */
export async function readVaultBooks(db: Queryable, { chainId, vault }: VaultPlace): Promise<VaultBooks> {
  const [row] = await db.query<
    Omit<VaultBooks, 'surplus'> & { surplusBlock: bigint | null; surplusDeposit: bigint } & Pick<
        Surplus,
        'seen' | 'counted'
      >
  >(sql`
    with read_to as (
      select coalesce(c.block_number, -1) as block, c.block_hash
      from (values (true)) as one left join vault_cursors c on c.chain_id = ${chainId} and c.vault = ${vault}),
    before as (select * from vault_surpluses where chain_id = ${chainId} and vault = ${vault}),
    paid_in as (
      select coalesce(max(number), 0) as newest,
             coalesce(sum(amount) filter (where d.block_number <= block and credited_at is null), 0) as uncredited,
             coalesce(sum(amount) filter (where d.block_number > block and credited_at is not null), 0) as ahead,
             coalesce(sum(amount) filter (
               where d.block_number <= b.block_number and number > b.newest_deposit), 0) as found_since
      from vault_deposits d cross join read_to left join before b on true where d.chain_id = ${chainId}),
    paid_out as (
      select coalesce(sum(amount), 0) as absent from (
        select amount from withdrawals, read_to
        where status = 'COMPLETED' and chain_id = ${chainId} and vault = ${vault} and redeemed_block > block
        union all
        select amount from vault_redemptions r, read_to
        where chain_id = ${chainId} and vault = ${vault} and gone_at is not null and (adopted_by is not null or exists (
          select from withdrawals w where w.nonce = r.nonce and w.status = 'COMPLETED' and w.redeemed_block <= block))
      ) as each)
    select r.block, r.block_hash, i.newest as newest_deposit, (i.uncredited - i.ahead + o.absent - a.posted)::bigint as due,
           b.block_number as surplus_block, b.newest_deposit as surplus_deposit, b.seen, b.counted,
           i.found_since::bigint
    from read_to r, paid_in i, paid_out o, accounts a left join before b on true where a.id = 'vault'`)
  if (row === undefined) throw new Error('There is no vault account.')
  const { surplusBlock: block, surplusDeposit: newestDeposit, seen, counted, ...books } = row
  return { ...books, surplus: block === null ? null : { block, newestDeposit, seen, counted } }
}

/** Stores the surplus of a comparison unless one of a later block is stored. */
export async function keepSurplus(tx: Tx, { chainId, vault }: VaultPlace, surplus: Surplus): Promise<void> {
  const { block, seen, counted, newestDeposit } = surplus
  await tx.query(sql`
    insert into vault_surpluses as kept (chain_id, vault, block_number, seen, counted, newest_deposit)
    values (${chainId}, ${vault}, ${block}, ${seen}, ${counted}, ${newestDeposit})
    on conflict (chain_id, vault) do update
      set block_number = excluded.block_number, seen = excluded.seen, counted = excluded.counted,
          newest_deposit = excluded.newest_deposit
      where kept.block_number < excluded.block_number`)
}
