import { formatUsdc, MICROS_PER_USDC, usdc } from '@farebox/money'
import { z } from 'zod'
import {
  countOut,
  cursorIn,
  exampleId,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  limitIn,
  nextCursor,
  success,
  usdcIn,
  usdcOut,
  walletOut,
} from '../common.ts'
import { strict } from '../strict.ts'

/** Maximum amount of one redemption, in micro-USDC. */
const AMOUNT_MAX = usdc(10_000n * MICROS_PER_USDC)
/** Maximum number of vouchers created at once. */
const COUNT_MAX = 100
/** Maximum number of wallets that may redeem one voucher. */
const REDEMPTIONS_MAX = 100_000
/** Maximum length of a text that is checked as a code. */
const CODE_LENGTH_MAX = 200

/** A code as returned: `FBX-` and seven groups of four characters, Crockford base32. */
const codeOut = z
  .string()
  .regex(/^FBX(-[0-9A-HJKMNP-TV-Z]{4}){7}$/)
  .meta({ example: 'FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS' })

/** Body of `POST /balance/vouchers/redeem`. The form of the code is not validated here. */
export const redeemVoucherIn = strict({
  voucherCode: z.string().min(1).max(CODE_LENGTH_MAX).meta({ pattern: '^[^\\u0000]*$' }),
})

/** Answer of `POST /balance/vouchers/redeem`. */
export const redeemedVoucher = z.object({ status: success, voucherCode: codeOut, amountUsdc: usdcOut })
export type RedeemedVoucher = z.output<typeof redeemedVoucher>

/**
 * Body of `POST /admin/vouchers`: `count` vouchers, each paying `amountUsdc` to up to `maxRedemptions` wallets until
 * `expiresAt`.
 */
export const createVouchersIn = strict({
  amountUsdc: usdcIn
    .refine(amount => amount > 0n, 'Must be greater than zero.')
    .refine(amount => amount <= AMOUNT_MAX, `Must be at most ${formatUsdc(AMOUNT_MAX)}.`),
  count: z.int().min(1).max(COUNT_MAX).default(1),
  maxRedemptions: z.int().min(1).max(REDEMPTIONS_MAX).default(1),
  expiresAt: z.iso.datetime({ offset: true }).max(40),
})
export type CreateVouchersIn = z.output<typeof createVouchersIn>

const voucherStatus = z.enum(['active', 'used_up', 'expired'])
export type VoucherStatus = z.output<typeof voucherStatus>

const voucherFields = {
  voucherId: idOut('vch'),
  batchId: idOut('vcb').meta({ description: 'Shared by vouchers that were created together.' }),
  amountUsdc: usdcOut,
  maxRedemptions: z.int().min(1).max(REDEMPTIONS_MAX),
  redemptions: countOut.max(REDEMPTIONS_MAX),
  status: voucherStatus,
  expiresAt: isoTime,
  createdBy: walletOut,
  createdAt: isoTime,
}
/** A voucher as shown to admins, without its code. */
const voucherOut = z.object(voucherFields)
export type VoucherOut = z.output<typeof voucherOut>

/** Answer of `POST /admin/vouchers`, the only one that contains the codes. */
export const createdVouchers = z.object({
  status: success,
  vouchers: z.array(z.object({ ...voucherFields, voucherCode: codeOut })).max(COUNT_MAX),
  totalUsdc: usdcOut.meta({ description: 'Total value if all are redeemed.' }),
  fundedUsdc: usdcOut.meta({
    description: 'Part charged to the balance of the admin: what promotions did not cover yet.',
  }),
})
export type CreatedVouchers = z.output<typeof createdVouchers>

/** Query of `GET /admin/vouchers`. */
export const listVouchersIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  status: voucherStatus.optional(),
})

/** Answer of `GET /admin/vouchers`. */
export const vouchersPage = z.object({
  status: success,
  vouchers: z.array(voucherOut).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** Example of a voucher. */
export const exampleVoucher: VoucherOut = {
  voucherId: exampleId('vch'),
  batchId: exampleId('vcb'),
  amountUsdc: '5.000000',
  maxRedemptions: 100,
  redemptions: 12,
  status: 'active',
  expiresAt: '2027-01-01T00:00:00.000Z',
  createdBy: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  createdAt: '2026-11-21T09:00:00.000Z',
}
