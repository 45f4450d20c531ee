import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import type { Block, Queryable, Tx, VaultPlace } from '../../ports.ts'
import { isOver } from '../../sql/is-over.ts'
import { prepared } from '../../sql/prepared.ts'

/** Position up to which the vault has been read. */
export type Cursor = { blockNumber: bigint; blockHash: Hex | null }

/** True while a deposit or a redemption is pending, or the gateway itself waits to catch up. */
const IS_AWAITED = sql`(
  exists (select from deposits where status in ('pending', 'confirming'))
  or exists (select from vault_deposits d where d.chain_id = c.chain_id and d.credited_at is null)
  or exists (select from withdrawals where status in ('APPROVED_AUTO', 'APPROVED_MANUAL'))
  or exists (select from chain_findings where resolved_at is null)
  or exists (select from database_watch
    where caught_up_at is null or started_at <> pg_postmaster_start_time())
  or c.agreed_block is distinct from c.block_number or c.reread_block is not null)`

/**
 * Acquires or renews the lease on following a vault, and reads the cursor.
 *
 * @param lease.startBlock first block to read with an empty database
 * @param lease.restSeconds if the last read found nothing new and is more recent than this, and nothing is pending, the
 * cursor is at rest (`isAtRest`)
 * @returns undefined while another gateway holds the lease
 */
export async function takeCursor(
  db: Queryable,
  lease: VaultPlace & { startBlock: bigint; holder: string; seconds: number; restSeconds: number },
): Promise<(Cursor & { isAtRest: boolean }) | undefined> {
  const { chainId, vault, startBlock, holder, seconds, restSeconds } = lease
  const [row] = await db.query<Cursor & { isAtRest: boolean }>(
    prepared(
      'deposits_take_cursor',
      sql`
    insert into vault_cursors as c (chain_id, vault, block_number, holder, lease_until)
    values (${chainId}, ${vault}, ${startBlock - 1n}, ${holder}, now() + make_interval(secs => ${seconds}))
    on conflict (chain_id, vault) do update set holder = excluded.holder, lease_until = excluded.lease_until
      where c.holder = excluded.holder or ${isOver(sql`c.lease_until`, sql`2 * make_interval(secs => ${seconds})`)}
    returning block_number, block_hash,
      coalesce(followed_at > now() - make_interval(secs => ${restSeconds}) and followed_at <= now(), false)
        and not ${IS_AWAITED} as is_at_rest`,
    ),
  )
  return row
}

/** Releases the lease on following a vault. */
export async function giveUpCursor(db: Queryable, lease: VaultPlace & { holder: string }): Promise<void> {
  await db.query(sql`
    update vault_cursors set lease_until = '-infinity'
    where chain_id = ${lease.chainId} and vault = ${lease.vault} and holder = ${lease.holder}`)
}

/** Locks the cursor, so that no payment is credited ahead of it until the transaction ends. */
export async function lockCursor(tx: Tx, { chainId, vault }: VaultPlace): Promise<void> {
  await tx.query(sql`
    select from vault_cursors where chain_id = ${chainId} and vault = ${vault} for update`)
}

/**
 * Moves the cursor, unless another gateway has moved it in the meantime.
 *
 * @param move.isNewest true if there is nothing more to read for now
 * @returns true if the cursor was moved
 */
export async function moveCursor(
  tx: Tx,
  move: VaultPlace & { from: Cursor; to: Block; isNewest: boolean },
): Promise<boolean> {
  const { chainId, vault, from, to, isNewest } = move
  const rows = await tx.query(sql`
    update vault_cursors set block_number = ${to.number}, block_hash = ${to.hash}, block_time = ${to.timestamp},
      followed_at = case when ${isNewest}::boolean then now() else followed_at end
    where chain_id = ${chainId} and vault = ${vault} and block_number = ${from.blockNumber} returning 1`)
  return rows.length > 0
}
