import { formatUsdc, usdc } from '@farebox/money'
import type { VoucherOut } from '@farebox/wire/vouchers'
import { getAddress } from 'viem'
import { statusOf } from './rules.ts'
import type { VoucherRow } from './store.ts'

/** Formats a voucher for a response. */
export function presentVoucher(row: VoucherRow): VoucherOut {
  return {
    voucherId: row.id,
    batchId: row.batch_id,
    amountUsdc: formatUsdc(usdc(row.amount)),
    maxRedemptions: row.redemptions_max,
    redemptions: row.redeemed,
    status: statusOf(row),
    expiresAt: row.expires_at.toISOString(),
    createdBy: getAddress(row.created_by),
    createdAt: row.created_at.toISOString(),
  }
}
