import { z } from 'zod'
import {
  countOut,
  cursorIn,
  hashOut,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  limitIn,
  listOrder,
  nextCursor,
  pageIn,
  pathIdIn,
  plainText,
  success,
  textOut,
  unixTime,
  usdcIn,
  usdcOut,
  walletOut,
} from '../common.ts'
import { walletIn } from '../people/auth.ts'
import { strict } from '../strict.ts'
import { txHashIn } from './tx-hash.ts'

/** States of a withdrawal; `NEXT` of the withdrawals domain defines the transitions. */
export const withdrawalStatuses = [
  'PENDING_REVIEW',
  'APPROVED_AUTO',
  'APPROVED_MANUAL',
  'COMPLETED',
  'CANCELLED',
  'REJECTED',
] as const
export type WithdrawalStatus = (typeof withdrawalStatuses)[number]

/** Ways in which a transaction can differ from the redemption of a ticket. */
export type RedemptionMismatch =
  | 'reverted'
  | 'no_withdrawn_event'
  | 'wrong_nonce'
  | 'wrong_recipient'
  | 'wrong_amount'

/** Amount of a withdrawal. */
export const withdrawnAmount = usdcIn.refine(amount => amount > 0n, 'Must be greater than zero.')

/** Body of `POST /providers/withdrawals/intent`. */
export const openWithdrawalIn = strict({
  amountUsdc: withdrawnAmount.meta({
    description: 'Amount to withdraw from the provider receivable.',
    example: '250.00',
  }),
  destinationAddress: z.unknown().optional().meta({
    type: 'string',
    pattern: '^0[xX][0-9a-fA-F]{40}$',
    description: 'Optional. Must be the wallet that earned them; another is INVALID_ADDRESS.',
  }),
})

/** Body of `POST /providers/withdrawals/:withdrawalId/complete`; `parseTxHash` validates the hash. */
export const completeWithdrawalIn = strict({
  txHash: txHashIn.meta({ description: 'Transaction that redeemed the ticket.' }),
})

/** Path of a withdrawal. */
export const withdrawalPathIn = z.object({ withdrawalId: pathIdIn('wd') })

/** Query of `GET /providers/withdrawals`. */
export const listWithdrawalsIn = pageIn

/** Why a withdrawal waits for a review. */
export const REVIEW_CAUSES = [
  // Part of it was earned from vouchers.
  'vouchers',
  // Above the daily limit of its wallet.
  'wallet_limit',
  // Above the daily limit of all wallets together.
  'total_limit',
  // The vault held too little beyond the open tickets.
  'vault_illiquid',
  // No ticket could be issued then: books, chain or signer were not in order.
  'tickets_stopped',
] as const
export type ReviewCause = (typeof REVIEW_CAUSES)[number]

/** Query of `GET /admin/withdrawals`. */
export const reviewQueueIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  status: z.enum(withdrawalStatuses).optional(),
  wallet: walletIn.optional().meta({ description: 'Only those of this wallet.' }),
  order: listOrder,
})

const REASON_LENGTH_MAX = 1_000
const reason = plainText({ min: 1, max: REASON_LENGTH_MAX })

/** Body of `POST /admin/withdrawals/:withdrawalId/approve`. */
export const approveWithdrawalIn = strict({ reason: reason.nullish() }).nullish()

/** Body of `POST /admin/withdrawals/:withdrawalId/reject`. The provider sees the reason. */
export const rejectWithdrawalIn = strict({ reason })

/**
 * A ticket for `FareboxVault.withdraw`. `amount` is in base units of USDC (integer in a string), `deadline` in Unix
 * seconds of chain time.
 */
const withdrawalTicket = z
  .object({
    to: walletOut,
    amount: z
      .string()
      .regex(/^\d{1,18}$/)
      .meta({ description: 'Base units of USDC: millionths.' }),
    deadline: unixTime.meta({ description: 'Unix seconds of chain time.' }),
    withdrawalId: idOut('wd'),
    nonce: hashOut.meta({ description: 'keccak256 of the withdrawalId.' }),
    vault: walletOut,
    chainId: z.int().min(1),
    signature: z
      .string()
      .regex(/^0x[0-9a-f]{130}$/)
      .meta({ description: "The gateway's EIP-712 signature of the ticket." }),
  })
  .meta({ id: 'WithdrawalTicket' })
  .meta({ description: 'Pass it and its signature to `withdraw` of the vault before its deadline.' })
export type WithdrawalTicket = z.output<typeof withdrawalTicket>

const withdrawalStatus = z.enum(withdrawalStatuses)

/** A withdrawal as the API returns it. Includes the ticket while it can be redeemed. */
export const withdrawal = z
  .object({
    withdrawalId: idOut('wd'),
    intentId: idOut('wd').meta({ description: 'Alias of withdrawalId.' }),
    amountUsdc: usdcOut,
    promotionalUsdc: usdcOut.meta({
      description: 'Part that was earned from vouchers. If positive, the withdrawal needs a review.',
    }),
    source: z
      .enum(['earnings', 'fees'])
      .meta({ description: 'Earnings of its wallet, or platform fees that an admin pays out.' }),
    status: withdrawalStatus,
    statusLabel: withdrawalStatus,
    ticket: withdrawalTicket.nullable().meta({ description: 'Null unless it can be redeemed.' }),
    txHash: hashOut.nullable().meta({ description: 'Transaction that redeemed it.' }),
    reason: textOut(REASON_LENGTH_MAX).nullable().meta({ description: 'Reason given by its reviewer.' }),
    reviewCauses: z
      .array(z.enum(REVIEW_CAUSES))
      .max(REVIEW_CAUSES.length)
      .meta({ description: 'Why no ticket was issued when it was opened; empty if one was.' }),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'Withdrawal' })
export type Withdrawal = z.output<typeof withdrawal>

const head = { status: success, ownerAddress: walletOut }
const ids = {
  withdrawalId: idOut('wd'),
  intentId: idOut('wd').meta({ description: 'Alias of withdrawalId.' }),
}

/** Answer of `POST /providers/withdrawals/intent`. */
export const openedWithdrawal = z.object({
  ...head,
  ...ids,
  statusLabel: withdrawalStatus,
  amountUsdc: usdcOut,
  ticket: withdrawalTicket
    .nullable()
    .meta({ description: 'While it can be redeemed; null while the withdrawal waits for a review.' }),
})
export type OpenedWithdrawal = z.output<typeof openedWithdrawal>

/** Answer of `POST /providers/withdrawals/:withdrawalId/complete`. */
export const completedWithdrawal = z.object({
  ...head,
  ...ids,
  statusLabel: z.literal('COMPLETED'),
  txHash: hashOut,
})

/** Answer of `GET /providers/withdrawals`. */
export const withdrawalsPage = z.object({
  ...head,
  withdrawals: z.array(withdrawal).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** Answer of `GET /providers/withdrawals/:withdrawalId`. */
export const shownWithdrawal = z.object({
  ...head,
  ...ids,
  statusLabel: withdrawalStatus,
  ticket: withdrawalTicket.nullable(),
  withdrawal,
})

const receivablePromotionalUsdc = usdcOut.meta({
  description: 'Part of receivableUsdc that was earned from vouchers: withdrawn last, after a review.',
})

/** Amount that a wallet could withdraw now, and whether it would get a ticket immediately. */
const withdrawalCapability = z.object({
  canWithdraw: z.boolean(),
  available: usdcOut.meta({ description: 'Amount that can be withdrawn now; the same as receivableUsdc.' }),
  receivableUsdc: usdcOut,
  receivablePromotionalUsdc,
  lockedUsdc: usdcOut,
  vaultLiquidityUsdc: usdcOut.nullable().meta({ description: 'Null while the chain is unreachable.' }),
  autoApproveMaxUsdc: usdcOut,
  autoApproveLeftTodayUsdc: usdcOut.meta({
    description: "Left of the daily limits today: the smaller of this wallet's and that of all wallets.",
  }),
  isAutoApprovalOn: z.boolean().meta({ description: 'False while the books do not reconcile.' }),
  ticketSeconds: z.int().min(1),
  requiredConfirmations: z.int().min(1),
})
export type WithdrawalCapability = z.output<typeof withdrawalCapability>

/** Answer of `GET /providers/withdrawals/capability`. */
export const capabilityAnswer = z.object({ ...head, ...withdrawalCapability.shape })

/** Number of services in an earnings summary: those with the highest earnings. */
export const EARNING_SERVICES_MAX = 100
/** Default number of UTC days of an earnings summary, including today. */
export const EARNING_DAYS_DEFAULT = 30
/** Maximum number of UTC days of an earnings summary. */
export const EARNING_DAYS_MAX = 366
const DAY_MS = 86_400_000

/** ISO 8601 has a year 0000; the calendar of PostgreSQL does not. */
const FIRST_DAY = '0001-01-01'
const dayIn = z.iso
  .date()
  .refine(day => day >= FIRST_DAY, `Must be ${FIRST_DAY} or later.`)
  .optional()

/** Query of `GET /providers/earnings/summary`. */
export const earningsIn = z
  .object({
    from: dayIn.meta({
      description: 'First UTC day of byService and byDay.',
      example: '2026-11-01',
    }),
    to: dayIn.meta({
      description: 'Last UTC day; default: today.',
      example: '2026-11-30',
    }),
    by: z
      .enum(['day', 'service'])
      .default('day')
      .meta({ description: 'Rows of the table, with `Accept: text/csv`.' }),
  })
  .superRefine(({ from, to }, context) => {
    if (to !== undefined && from === undefined) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'Is required with to.' })
    }
    if (from === undefined || to === undefined) return
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
    if (days < 1 || days > EARNING_DAYS_MAX) {
      const message = `Must not be before from, nor more than ${EARNING_DAYS_MAX} days later.`
      context.addIssue({ code: 'custom', path: ['to'], message })
    }
  })

const earned = { calls: countOut, earnedUsdc: usdcOut }

/** Earnings of a provider: charges less the platform's fee. */
export const earnings = z.object({
  total: usdcOut,
  summary: z.object({
    totalEarnedUsdc: usdcOut,
    totalCalls: countOut,
    receivableUsdc: usdcOut,
    lockedUsdc: usdcOut,
    withdrawnUsdc: usdcOut,
    promotionalUsdc: usdcOut.meta({
      description: 'Part of totalEarnedUsdc that was earned from vouchers.',
    }),
    receivablePromotionalUsdc,
  }),
  byService: z
    .array(z.object({ serviceId: idOut('svc'), ...earned }))
    .max(EARNING_SERVICES_MAX)
    .meta({ description: 'The 100 with the highest earnings in the period, or of all time, highest first.' }),
  byDay: z
    .array(z.object({ day: z.iso.date(), ...earned }))
    .max(EARNING_DAYS_MAX)
    .meta({ description: 'UTC days with earnings, newest first.' }),
})
export type Earnings = z.output<typeof earnings>
export type EarningsQuery = z.output<typeof earningsIn>

/** Answer of `GET /providers/earnings/summary`. */
export const earningsAnswer = z.object({ ...head, ...earnings.shape })
