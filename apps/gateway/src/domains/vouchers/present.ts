import { formatUsdc, usdc } from '@farebox/money'
import type { VoucherOut } from '@farebox/wire/vouchers'
import { getAddress } from 'viem'
import { statusOf } from './rules.ts'
import type { VoucherRow } from './store.ts'

/** Formats a voucher for a response. */
export function presentVoucher(row: VoucherRow): VoucherOut {
  return {
    voucherId: row.id,
    batchId: row.batchId,
    amountUsdc: formatUsdc(usdc(row.amount)),
    maxRedemptions: row.redemptionsMax,
    redemptions: row.redeemed,
    status: statusOf(row),
    expiresAt: row.expiresAt.toISOString(),
    createdBy: getAddress(row.createdBy),
    createdAt: row.createdAt.toISOString(),
  }
}
