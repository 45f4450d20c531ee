import type { Usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import type { DepositedEvent, Queryable, Tx, VaultPlace } from '../../ports.ts'
import type { RecordedBlock } from '../ledger/find-gone-blocks.ts'

/** A credited deposit. */
export type CreditedDeposit = {
  readonly txHash: Hex
  readonly logIndex: number
  readonly wallet: string
  readonly amount: Usdc
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly goneAt: Date | null
}

const columns = sql`tx_hash, log_index, wallet, amount, block_number, block_hash, gone_at`

/** Maximum number of blocks with deposits that are checked for a reorganisation, newest first. */
const BLOCKS_LOOKED_AT_MAX = 1_000

/** Returns the newest blocks with recorded deposits above a height and up to another, newest first. */
export function recordedBlocks(
  db: Queryable,
  { chainId, vault }: VaultPlace,
  query: { above: bigint; upTo: bigint },
): Promise<RecordedBlock[]> {
  return db.query<RecordedBlock>(sql`
    select distinct block_number as number, block_hash as hash from vault_deposits
    where chain_id = ${chainId} and vault = ${vault} and gone_at is null
      and block_number > ${query.above} and block_number <= ${query.upTo}
    order by block_number desc limit ${BLOCKS_LOOKED_AT_MAX}`)
}

/** Deletes uncredited deposits of blocks that are no longer on the chain; marks and returns credited ones. */
export async function markGone(
  tx: Tx,
  { chainId, vault }: VaultPlace,
  blocks: readonly RecordedBlock[],
): Promise<CreditedDeposit[]> {
  const hashes = blocks.map(({ hash }) => hash)
  await tx.query(sql`
    delete from vault_deposits where chain_id = ${chainId} and vault = ${vault}
      and block_hash = any(${hashes}::text[]) and credited_at is null`)
  return tx.query<CreditedDeposit>(sql`
    update vault_deposits set gone_at = now()
    where chain_id = ${chainId} and vault = ${vault} and block_hash = any(${hashes}::text[]) and gone_at is null
    returning ${columns}`)
}

/**
 * Marks and returns credited deposits whose authorization was used for another amount: a token uses one once, so the
 * chain has these no longer.
 */
export function markReplaced(
  tx: Tx,
  { chainId }: VaultPlace,
  events: readonly DepositedEvent[],
): Promise<CreditedDeposit[]> {
  return tx.query<CreditedDeposit>(sql`
    update vault_deposits set gone_at = now() from unnest(
      ${events.map(event => event.owner)}::text[], ${events.map(event => event.authorization)}::text[],
      ${events.map(event => event.amount)}::bigint[]
    ) as used (owner, nonce, used_amount)
    where chain_id = ${chainId} and wallet = owner and authorization_nonce = nonce and amount <> used_amount
      and credited_at is not null and gone_at is null and reversed_by is null
    returning ${columns}`)
}

/** Returns a credited deposit that is not reversed, optionally locked, or undefined. */
export async function findCredited(
  db: Queryable,
  { chainId }: VaultPlace,
  event: { txHash: string; logIndex: number; isLocked: boolean },
): Promise<CreditedDeposit | undefined> {
  const [row] = await db.query<CreditedDeposit>(sql`
    select ${columns} from vault_deposits
    where chain_id = ${chainId} and tx_hash = ${event.txHash} and log_index = ${event.logIndex}
      and credited_at is not null and reversed_by is null
    ${event.isLocked ? sql`for update` : sql``}`)
  return row
}

/** Marks a locked deposit as reversed by an admin. */
export async function markReversed(
  tx: Tx,
  { chainId }: VaultPlace,
  reversed: { txHash: string; logIndex: number; findingId: bigint },
): Promise<void> {
  await tx.query(sql`
    with written as (
      update vault_deposits set reversed_by = ${reversed.findingId}
      where chain_id = ${chainId} and tx_hash = ${reversed.txHash} and log_index = ${reversed.logIndex}
        and reversed_by is null
      returning 1)
    select expect_rows(count(*), 1, 'vault deposits') from written`)
}
