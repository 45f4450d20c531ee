import { z } from 'zod'
import { cursorIn, limitIn, pageIn, plainText, usdcIn } from './common.ts'

/** States of a withdrawal; see `NEXT` of the withdrawals domain for the ways between them. */
export const withdrawalStatuses = [
  'PENDING_REVIEW',
  'APPROVED_AUTO',
  'APPROVED_MANUAL',
  'COMPLETED',
  'CANCELLED',
  'REJECTED',
] as const
export type WithdrawalStatus = (typeof withdrawalStatuses)[number]

/** In what a transaction differs from the redemption of a ticket. */
export type RedemptionMismatch =
  | 'reverted'
  | 'no_withdrawn_event'
  | 'wrong_nonce'
  | 'wrong_recipient'
  | 'wrong_amount'

/** Body of `POST /providers/withdrawals/intent`. */
export const openWithdrawalIn = z.object({
  amountUsdc: usdcIn.refine(amount => amount > 0n, 'Must be more than zero.'),
})

/** Body of `POST /providers/withdrawals/:withdrawalId/complete`; the hash is judged by `parseTxHash`. */
export const completeWithdrawalIn = z.object({ txHash: z.unknown().optional() })

/** Path of one withdrawal. A text that cannot be an id is nobody's, hence not found rather than malformed. */
export const withdrawalPathIn = z.object({
  withdrawalId: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .catch(''),
})

/** Query of `GET /providers/withdrawals`. */
export const listWithdrawalsIn = pageIn

/** Query of `GET /admin/withdrawals`. */
export const reviewQueueIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  status: z.enum(withdrawalStatuses).optional(),
})

const reason = plainText({ min: 1, max: 1_000 })

/** Body of `POST /admin/withdrawals/:withdrawalId/approve`. */
export const approveWithdrawalIn = z.object({ reason: reason.nullish() }).nullish()

/** Body of `POST /admin/withdrawals/:withdrawalId/reject`: the provider is told the reason. */
export const rejectWithdrawalIn = z.object({ reason })

/**
 * A ticket that `FareboxVault.withdraw` pays. `amount` is in base units of USDC (integer in a string), `deadline` in
 * Unix seconds of chain time.
 */
export type WithdrawalTicket = {
  readonly to: string
  readonly amount: string
  readonly deadline: number
  readonly withdrawalId: string
  readonly nonce: string
  readonly vault: string
  readonly chainId: number
  readonly signature: string
}

/** A withdrawal as the wire shows it. The ticket is shown while it can be redeemed. */
export type Withdrawal = {
  readonly withdrawalId: string
  readonly amountUsdc: string
  readonly status: WithdrawalStatus
  readonly statusLabel: WithdrawalStatus
  readonly ticket: WithdrawalTicket | null
  readonly txHash: string | null
  readonly reason: string | null
  readonly createdAt: string
  readonly updatedAt: string
}
