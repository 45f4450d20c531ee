import { z } from 'zod'
import { pageIn, usdcIn } from './common.ts'

/** States of a deposit; see `NEXT` of the deposits domain for the ways between them. */
export const depositStatuses = ['pending', 'confirming', 'credited', 'rejected'] as const
export type DepositStatus = (typeof depositStatuses)[number]

/** Why a transaction is not a deposit that can be credited. */
export type DepositRejection = 'reverted' | 'no_vault_deposit' | 'wrong_depositor' | 'unknown_after_24h'

/**
 * Body of `POST /balance/deposit/intent`. The hash is judged apart, by `parseTxHash`, since a bad one has an error
 * code of its own. `amount` is what the caller says it has deposited: kept, never trusted.
 */
export const openDepositIn = z.object({
  tx_hash: z.unknown().optional(),
  amount: usdcIn.refine(amount => amount > 0n, 'Must be more than zero.'),
})

/** Body of `POST /balance/deposit/intents/:id/confirm`: hints of older clients; the chain alone decides. */
export const confirmDepositIn = z.looseObject({}).nullish()

/** Path of one deposit. A text that cannot be an id is nobody's, hence not found rather than malformed. */
export const depositPathIn = z.object({
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .catch(''),
})

/** Query of `GET /balance/deposits`. */
export const listDepositsIn = pageIn

/** A deposit as the wire shows it, under each of the names that clients know its id by. */
export type DepositIntent = {
  readonly id: string
  readonly intentId: string
  readonly depositIntentId: string
  readonly status: DepositStatus
  readonly tx_hash: string
  readonly txHash: string
  /** `chain:transaction:log index` of the (first) vault event, once it is credited. */
  readonly eventKey: string | null
  /** What was credited; before that, what was claimed. */
  readonly amountUsdc: string
  /** Sent when another amount was claimed than the vault's event says. */
  readonly claimedAmountUsdc?: string
  readonly confirmations: number
  readonly requiredConfirmations: number
  /** Sent when it was rejected. */
  readonly reason?: DepositRejection
  readonly createdAt: string
}
