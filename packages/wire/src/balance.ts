import { z } from 'zod'
import { isoTime, LIST_LIMIT_MAX, nextCursor, pageIn, success, usdcOut } from './common.ts'

/** Answer of `GET /balance`: both of a wallet's roles, under the names that clients know. */
export const balanceAnswer = z.object({
  status: success,
  consumer_available_balance: usdcOut.meta({ description: 'Free to be spent on calls.' }),
  consumer_held_balance: usdcOut.meta({ description: 'Set aside for running calls.' }),
  provider_receivable_balance: usdcOut.meta({ description: 'Earned and free to be withdrawn.' }),
  provider_locked_balance: usdcOut.meta({ description: 'Set aside for open withdrawals.' }),
  protocol_fee_balance: usdcOut.meta({
    description: "Platform fees within what the wallet's calls have paid.",
  }),
  balance: z.object({
    ownerBalance: usdcOut,
    consumerAvailableBalance: usdcOut,
    consumerHeldBalance: usdcOut,
    providerReceivable: usdcOut,
    providerLocked: usdcOut,
    platformFeeAccrued: usdcOut,
  }),
})

/** Query of `GET /balance/ledger`. */
export const listEntriesIn = pageIn
export type ListEntries = z.output<typeof listEntriesIn>

/** A ledger entry as the wire shows it. */
export const ledgerEntry = z
  .object({
    entryId: z.string().regex(/^\d{1,19}$/),
    movementId: z
      .string()
      .max(200)
      .regex(/^[a-z-]+:[\x21-\x7e]+$/)
      .meta({
        description: 'Entries of one movement share it: its kind and the id of the record behind it.',
      }),
    kind: z
      .string()
      .max(32)
      .regex(/^[a-z-]+$/)
      .meta({ description: 'What moved the money, such as `deposit`, `capture` or `withdrawal-paid`.' }),
    account: z.enum(['consumer', 'provider']),
    amountUsdc: usdcOut.meta({ description: 'Signed: negative for money that left the account.' }),
    reference: z
      .string()
      .max(160)
      .regex(/^[\x21-\x7e]+$/)
      .meta({ description: 'The record behind it: an invocation, a deposit, a withdrawal.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'LedgerEntry' })
export type LedgerEntry = z.output<typeof ledgerEntry>

/** Answer of `GET /balance/ledger`. */
export const entriesPage = z.object({
  status: success,
  entries: z.array(ledgerEntry).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** Answer of `GET /proof/reserves`. A difference above zero is a deposit that is not credited yet. */
export const reserves = z.object({
  status: success,
  asOf: isoTime,
  blockNumber: z.int().min(0),
  vaultBalanceUsdc: usdcOut,
  liabilitiesUsdc: usdcOut,
  differenceUsdc: usdcOut.meta({ description: 'Above zero: a deposit that is not credited yet.' }),
  liabilities: z.object({ consumerUsdc: usdcOut, providerUsdc: usdcOut, platformUsdc: usdcOut }),
  ledgerSumUsdc: usdcOut,
  consistent: z
    .boolean()
    .meta({ description: 'Outcome of the newest check of every invariant of the books.' }),
  lastReconciledAt: isoTime.nullable(),
})
export type Reserves = z.output<typeof reserves>
