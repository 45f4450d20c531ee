import { z } from 'zod'
import {
  clamped,
  countOut,
  hashOut,
  isoTime,
  LIST_LIMIT_MAX,
  nextCursor,
  pageIn,
  success,
  usdcOut,
  walletOut,
} from '../common.ts'

/** Answer of `GET /balance`: balances of a wallet as consumer and as provider, under the names that clients use. */
export const balanceAnswer = z.object({
  status: success,
  consumer_available_balance: usdcOut.meta({ description: 'Available for calls.' }),
  consumer_held_balance: usdcOut.meta({ description: 'Held for calls in flight.' }),
  provider_receivable_balance: usdcOut.meta({ description: 'Earned and available for withdrawal.' }),
  provider_locked_balance: usdcOut.meta({ description: 'Locked for open withdrawals.' }),
  protocol_fee_balance: usdcOut.meta({
    description: "Platform fees included in what the wallet's calls have paid.",
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

/** A ledger entry as the API returns it. */
const ledgerEntry = z
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

/** Liabilities to all wallets and to the platform, as covered by a Merkle tree. */
const liabilitiesTree = z
  .object({
    asOf: isoTime.meta({
      description: 'Last time at which the tree was current: no money had moved since it was built.',
    }),
    merkleRoot: hashOut,
    wallets: countOut.meta({ description: 'Leaves: one for each wallet with an account.' }),
    walletsUsdc: usdcOut.meta({ description: 'Sum at the root: the total owed to wallets.' }),
    consumerUsdc: usdcOut,
    providerUsdc: usdcOut,
    platformUsdc: usdcOut.meta({ description: 'Fees and promotions, less losses; in no leaf.' }),
    lockedUsdc: usdcOut.meta({
      description: 'Part of `providerUsdc` that open tickets cover: the vault may have paid it.',
    }),
    blockNumber: countOut
      .nullable()
      .meta({ description: 'Block at which the vault was read; null if the chain was unreachable.' }),
    vaultBalanceUsdc: usdcOut.nullable(),
  })
  .meta({ id: 'LiabilitiesTree' })

/** Answer of `GET /proof/reserves`. A positive difference is a deposit that is not credited yet. */
export const reserves = z.object({
  status: success,
  asOf: isoTime,
  blockNumber: z.int().min(0),
  vaultBalanceUsdc: usdcOut,
  liabilitiesUsdc: usdcOut,
  differenceUsdc: usdcOut.meta({ description: 'Positive while a deposit is not credited yet.' }),
  liabilities: z.object({ consumerUsdc: usdcOut, providerUsdc: usdcOut, platformUsdc: usdcOut }),
  ledgerSumUsdc: usdcOut,
  consistent: z
    .boolean()
    .meta({ description: 'Outcome of the newest check of every invariant of the books.' }),
  lastReconciledAt: isoTime.nullable(),
  merkleRoot: hashOut
    .nullable()
    .meta({ description: 'Root of the newest tree of liabilities; null before the first.' }),
  tree: liabilitiesTree.nullable(),
})
export type Reserves = z.output<typeof reserves>

/** Maximum number of days of checks: as long as clean ones are stored. */
const CHECKS_DAYS_MAX = 90
/** Maximum number of checks in an answer: slices of the time, the first and last of them cut. */
const CHECKS_MAX = 97

/** Query of `GET /proof/checks`. */
export const listChecksIn = z.object({
  days: clamped({ min: 1, max: CHECKS_DAYS_MAX, absent: 1 }).meta({
    description: 'Number of 24-hour periods, up to now.',
  }),
})

/** A check of every invariant of the books, for all checks in its slice of the time. */
const bookCheck = z
  .object({
    at: isoTime,
    checks: z.int().min(1).meta({ description: 'Number of checks in this interval.' }),
    consistent: z.boolean(),
    vaultBalanceUsdc: usdcOut
      .nullable()
      .meta({ description: 'In the vault, by the chain; null if the chain was unreachable.' }),
    demandedUsdc: usdcOut
      .nullable()
      .meta({ description: 'What the books demanded of the vault at the same block.' }),
  })
  .meta({ id: 'BookCheck' })
export type BookCheck = z.output<typeof bookCheck>

/** Answer of `GET /proof/checks`. */
export const checksAnswer = z.object({
  status: success,
  checks: z.array(bookCheck).max(CHECKS_MAX).meta({ description: 'Oldest first.' }),
})

/** Query of `GET /proof/inclusion`. */
export const inclusionIn = z.object({
  merkleRoot: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, 'Must be a root: 0x and 64 lower-case hex digits.')
    .meta({ description: 'Root of the tree; default: the newest.' })
    .optional(),
})

/** Maximum number of siblings on the path from a leaf to the root. */
const BRANCH_LENGTH_MAX = 64

/** Answer of `GET /proof/inclusion`. */
export const inclusionAnswer = z.object({
  status: success,
  walletAddress: walletOut,
  balanceUsdc: usdcOut.meta({ description: 'Owed to the wallet, as a consumer and as a provider.' }),
  salt: hashOut.meta({ description: 'Random value that keeps others from guessing the leaf.' }),
  leafHash: hashOut,
  branch: z
    .array(
      z.object({
        hash: hashOut,
        sumUsdc: usdcOut,
        side: z.enum(['left', 'right']).meta({ description: 'Side of the sibling node.' }),
      }),
    )
    .max(BRANCH_LENGTH_MAX)
    .meta({ description: 'Sibling nodes from the leaf to the root.' }),
  merkleRoot: hashOut,
  walletsUsdc: usdcOut.meta({ description: 'The sum at the root.' }),
  asOf: isoTime,
})
export type InclusionAnswer = z.output<typeof inclusionAnswer>

const entryIdOut = z.string().regex(/^\d{1,19}$/)

/** Equals `PARTITIONS` of partition.ts, which browsers cannot import. */
const LOG_PARTITIONS = 16

/** Last row of a partition of the log of calls. */
const sealedHead = z
  .object({
    partition: z
      .int()
      .min(0)
      .max(LOG_PARTITIONS - 1),
    head: entryIdOut.meta({ description: 'Number of its last row; 0 before the first.' }),
    hash: hashOut.meta({ description: 'Hash of that row; zeros before the first.' }),
  })
  .meta({ id: 'SealedHead' })

/** A seal over a range of the ledger. It covers everything before the range through the hash of the previous seal. */
export const seal = z
  .object({
    number: z.int().min(1),
    afterEntryId: entryIdOut.meta({ description: 'Last entry of the previous seal; 0 for the first seal.' }),
    lastEntryId: entryIdOut,
    entries: z.int().min(1).meta({ description: 'Number of entries between these ids.' }),
    root: hashOut.meta({ description: 'Root of the Merkle tree over these entries.' }),
    previousHash: hashOut.meta({ description: '`hash` of the previous seal; zeros for the first seal.' }),
    hash: hashOut,
    sealedAt: isoTime,
    heads: z.array(sealedHead).length(LOG_PARTITIONS).nullable().meta({
      description:
        'Last row of each partition of the log when the seal was made; null in seals older than the log.',
    }),
  })
  .meta({ id: 'Seal' })
export type SealAnswer = z.output<typeof seal>

/** Query of `GET /proof/seals`. */
export const listSealsIn = pageIn

/** Answer of `GET /proof/seals`. */
export const sealsPage = z.object({
  status: success,
  seals: z.array(seal).max(LIST_LIMIT_MAX),
  nextCursor,
})
