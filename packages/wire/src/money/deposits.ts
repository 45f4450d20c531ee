import { z } from 'zod'
import {
  countOut,
  hashOut,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  nextCursor,
  pageIn,
  pathIdIn,
  success,
  usdcIn,
  usdcOut,
} from '../common.ts'
import { txHashIn } from './tx-hash.ts'

/** States of a deposit; `NEXT` of the deposits domain defines the transitions. */
export const depositStatuses = ['pending', 'confirming', 'credited', 'rejected'] as const
export type DepositStatus = (typeof depositStatuses)[number]

/** Reasons why a transaction cannot be credited as a deposit. */
const depositRejections = ['reverted', 'no_vault_deposit', 'wrong_depositor', 'unknown_after_24h'] as const
export type DepositRejection = (typeof depositRejections)[number]

/**
 * Body of `POST /balance/deposit/intent`. The hash is validated by `parseTxHash`, as a bad one has its own error code.
 * `amount` is the caller's claim: stored, never trusted.
 */
export const openDepositIn = z.object({
  tx_hash: txHashIn.meta({ description: 'Transaction of the deposit into the vault.' }),
  amount: usdcIn
    .refine(amount => amount > 0n, 'Must be greater than zero.')
    .meta({
      description: 'Claimed amount, in USDC. The amount on chain is credited.',
      example: 25,
    }),
})

/** Body of `POST /balance/deposit/intents/:id/confirm`: hints of older clients, ignored, as only the chain decides. */
export const confirmDepositIn = z
  .looseObject({
    eventKey: z.unknown().optional().meta({ type: 'string', maxLength: 120, pattern: '^[0-9a-fx:]*$' }),
    confirmations: z.unknown().optional().meta({ type: 'integer', minimum: 0, maximum: 1_000_000 }),
  })
  .nullish()
  .meta({ description: 'Optional hints of older clients; the chain alone decides.' })

/** Path of a deposit. */
export const depositPathIn = z.object({ id: pathIdIn('dep') })

/** Query of `GET /balance/deposits`. */
export const listDepositsIn = pageIn

/** A deposit as the API returns it; its id appears under each name that clients use. */
export const depositIntent = z
  .object({
    id: idOut('dep'),
    intentId: idOut('dep'),
    depositIntentId: idOut('dep'),
    status: z.enum(depositStatuses),
    tx_hash: hashOut,
    txHash: hashOut,
    eventKey: z
      .string()
      .max(120)
      .regex(/^\d+:0x[0-9a-f]{64}:\d+$/)
      .nullable()
      .meta({
        description: 'Chain, transaction and log index of the (first) vault event, once it is credited.',
      }),
    amountUsdc: usdcOut.meta({ description: 'Credited amount; until then the claimed one.' }),
    claimedAmountUsdc: usdcOut
      .optional()
      .meta({ description: "Present if the claimed amount differs from the vault's event." }),
    confirmations: countOut,
    requiredConfirmations: z.int().min(1),
    reason: z.enum(depositRejections).optional().meta({ description: 'Present if it was rejected.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'DepositIntent' })
export type DepositIntent = z.output<typeof depositIntent>

/** Answer of `POST /balance/deposit/intent`. */
const intentId = idOut('dep').meta({ description: 'Id of the intent.' })
export const openedDeposit = z.object({ status: success, intentId, tx_hash: hashOut, intent: depositIntent })
export type OpenedDeposit = z.output<typeof openedDeposit>

/** Answer of `POST /balance/deposit/intents/:id/confirm`. */
export const confirmedDeposit = z.object({ status: success, intentId, intent: depositIntent })

/** Answer of `GET /balance/deposits`. */
export const depositsPage = z.object({
  status: success,
  deposits: z.array(depositIntent).max(LIST_LIMIT_MAX),
  nextCursor,
})
