import type { Usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Address, Hex } from 'viem'
import type { Queryable, Tx, VaultPlace, WithdrawnEvent } from '../../ports.ts'

/** A redemption as stored; see the migration. */
export type RedemptionRow = {
  nonce: Hex
  txHash: Hex
  logIndex: number
  recipient: Address
  amount: Usdc
  blockNumber: bigint
  blockHash: Hex
  goneAt: Date | null
  /** Amount that an admin has booked for it, and for whom; null if none. */
  adopted: Usdc | null
  adoptedTo: Address | null
}

const select = sql`
  select r.nonce, r.tx_hash, r.log_index, r.recipient, r.amount, r.block_number, r.block_hash, r.gone_at,
         s.charged + s.borne as adopted, s.wallet as adopted_to
  from vault_redemptions r left join settlements s on s.finding_id = r.adopted_by`

/** Returns the recorded redemptions of nonces. */
export function findRedemptions(
  db: Queryable,
  { chainId, vault }: VaultPlace,
  nonces: readonly Hex[],
): Promise<RedemptionRow[]> {
  return db.query<RedemptionRow>(sql`
    ${select} where r.chain_id = ${chainId} and r.vault = ${vault} and r.nonce = any(${nonces}::text[])`)
}

/** Records the current place of a redemption on the chain; keeps its adoption. */
export async function writeRedemption(
  db: Queryable,
  { chainId, vault }: VaultPlace,
  event: WithdrawnEvent,
): Promise<void> {
  await db.query(sql`
    insert into vault_redemptions (chain_id, vault, nonce, tx_hash, log_index, recipient, amount, block_number,
      block_hash)
    values (${chainId}, ${vault}, ${event.nonce}, ${event.txHash}, ${event.logIndex}, ${event.to}, ${event.amount},
      ${event.blockNumber}, ${event.blockHash})
    on conflict (chain_id, vault, nonce) do update
      set tx_hash = excluded.tx_hash, log_index = excluded.log_index, recipient = excluded.recipient,
          amount = excluded.amount, block_number = excluded.block_number, block_hash = excluded.block_hash,
          gone_at = null`)
}

/** Locks a recorded redemption and returns it, or undefined. */
export async function lockRedemption(
  tx: Tx,
  { chainId, vault }: VaultPlace,
  nonce: Hex,
): Promise<RedemptionRow | undefined> {
  const [row] = await tx.query<RedemptionRow>(sql`
    ${select} where r.chain_id = ${chainId} and r.vault = ${vault} and r.nonce = ${nonce} for update of r`)
  return row
}

/** Returns redemptions above a height and up to another that were on the chain when last seen, newest first. */
export function newestRedemptions(
  db: Queryable,
  { chainId, vault }: VaultPlace,
  query: { above: bigint; upTo: bigint; limit: number },
): Promise<RedemptionRow[]> {
  return db.query<RedemptionRow>(sql`
    ${select} where r.chain_id = ${chainId} and r.vault = ${vault} and r.gone_at is null
      and r.block_number > ${query.above} and r.block_number <= ${query.upTo}
    order by r.block_number desc limit ${query.limit}`)
}

/** Marks a redemption as removed from the chain. Returns false if it has changed in the meantime. */
export async function markGone(
  tx: Tx,
  { chainId, vault }: VaultPlace,
  seen: Pick<RedemptionRow, 'nonce' | 'blockHash'>,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update vault_redemptions set gone_at = now()
    where chain_id = ${chainId} and vault = ${vault} and nonce = ${seen.nonce}
      and block_hash = ${seen.blockHash} and gone_at is null
    returning 1`)
  return rows.length > 0
}

/** Marks a locked redemption as booked by an admin. */
export async function markAdopted(
  tx: Tx,
  { chainId, vault }: VaultPlace,
  adopted: { nonce: Hex; findingId: bigint },
): Promise<void> {
  await tx.query(sql`
    with written as (
      update vault_redemptions set adopted_by = ${adopted.findingId}
      where chain_id = ${chainId} and vault = ${vault} and nonce = ${adopted.nonce} returning 1)
    select expect_rows(count(*), 1, 'vault redemptions') from written`)
}
