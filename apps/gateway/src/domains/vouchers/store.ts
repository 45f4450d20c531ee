import { type Usdc, usdc } from '@farebox/money'
import type { VoucherStatus } from '@farebox/wire/vouchers'
import sql, { type Sql } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import type { VoucherState } from './rules.ts'

/** A voucher as stored; see the migration. */
export type VoucherRow = {
  id: string
  batchId: string
  amount: Usdc
  redemptionsMax: number
  redeemed: number
  expiresAt: Date
  isExpired: boolean
  createdBy: string
  createdAt: Date
}

const columns = sql`id, batch_id, amount, redemptions_max, redeemed, expires_at,
  expires_at <= clock_timestamp() as is_expired, created_by, created_at`

/** Returns the immutable columns of the voucher with this code. */
export async function findVoucher(
  db: Queryable,
  codeDigest: Buffer,
): Promise<{ id: string; amount: Usdc } | undefined> {
  const [row] = await db.query<{ id: string; amount: bigint }>(
    sql`select id, amount from vouchers where code_digest = ${codeDigest}`,
  )
  return row === undefined ? undefined : { id: row.id, amount: usdc(row.amount) }
}

/** Locks a voucher and returns its current state for a wallet. */
export async function lockVoucher(tx: Tx, key: { id: string; wallet: string }): Promise<VoucherState> {
  const [row] = await tx.query<VoucherState>(sql`
    select redeemed, redemptions_max, expires_at <= clock_timestamp() as is_expired,
           exists (select 1 from voucher_redemptions where voucher_id = v.id and wallet = ${key.wallet}) as is_own
    from vouchers v where id = ${key.id} for update`)
  if (row === undefined) throw new Error(`The voucher ${key.id} is gone.`)
  return row
}

/** Stores the redemption of a voucher by a wallet. Both statements may be pipelined with the COMMIT. */
export function insertRedemption(
  tx: Tx,
  redemption: { id: string; voucherId: string; wallet: string; amount: Usdc },
): Promise<unknown> {
  const { id, voucherId, wallet, amount } = redemption
  return tx.query(sql`
    with paid as (
      insert into voucher_redemptions (id, voucher_id, wallet, amount, promotional)
      values (${id}, ${voucherId}, ${wallet}, ${amount}, ${amount}) returning voucher_id)
    update vouchers set redeemed = redeemed + 1 from paid where vouchers.id = paid.voucher_id`)
}

/**
 * Stores a wallet's payment into promotions. `id` is the reference of the movement; `promotional` is the part from
 * vouchers.
 */
export function insertFunding(
  tx: Tx,
  funding: { id: string; wallet: string; amount: Usdc; promotional: Usdc },
): Promise<unknown> {
  const { id, wallet, amount, promotional } = funding
  return tx.query(sql`
    insert into promotion_fundings (id, wallet, amount, promotional)
    values (${id}, ${wallet}, ${amount}, ${promotional})`)
}

/** Returns the amount that all valid vouchers may still pay out, in micro-USDC. Requires the lock on the books. */
export async function sumObligations(tx: Tx): Promise<Usdc> {
  const [row] = await tx.query<{ amount: bigint }>(
    sql`select coalesce(sum(amount), 0)::bigint as amount from voucher_obligations`,
  )
  return usdc(row?.amount ?? 0n)
}

/** Inserts vouchers that were created together. */
export function insertVouchers(
  tx: Tx,
  batch: {
    id: string
    vouchers: readonly { id: string; codeDigest: Buffer }[]
    amount: Usdc
    redemptionsMax: number
    expiresAt: Date
    createdBy: string
  },
): Promise<VoucherRow[]> {
  const { vouchers } = batch
  return tx.query<VoucherRow>(sql`
    insert into vouchers (id, batch_id, code_digest, amount, redemptions_max, expires_at, created_by)
    select id, ${batch.id}, code_digest, ${batch.amount}, ${batch.redemptionsMax}, ${batch.expiresAt}, ${batch.createdBy}
    from unnest(${vouchers.map(({ id }) => id)}::text[],
                ${vouchers.map(({ codeDigest }) => codeDigest)}::bytea[]) as n (id, code_digest)
    returning ${columns}`)
}

const conditions: { readonly [Status in VoucherStatus]: Sql } = {
  active: sql`redeemed < redemptions_max and expires_at > clock_timestamp()`,
  used_up: sql`redeemed >= redemptions_max`,
  expired: sql`redeemed < redemptions_max and expires_at <= clock_timestamp()`,
}

/** Returns vouchers below an id, newest first. */
export function readVouchers(
  db: Queryable,
  query: { status: VoucherStatus | undefined; before: string | null; limit: number },
): Promise<VoucherRow[]> {
  const { status, before, limit } = query
  return db.query<VoucherRow>(sql`
    select ${columns} from vouchers
    where (${before}::text is null or id < ${before})
      and ${status === undefined ? sql`true` : conditions[status]}
    order by id desc limit ${limit}`)
}
