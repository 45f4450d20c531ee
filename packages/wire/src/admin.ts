import { z } from 'zod'
import { toolNameOut } from './catalogue/services.ts'
import {
  countOut,
  cursorIn,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  limitIn,
  nextCursor,
  plainText,
  success,
  textOut,
  usdcOut,
  walletOut,
} from './common.ts'
import { withdrawal, withdrawnAmount } from './money/withdrawals.ts'
import { walletIn } from './people/auth.ts'
import { strict } from './strict.ts'

/** Maximum length of the reason for an act, in UTF-16 code units. */
export const REASON_LENGTH_MAX = 1_000
const ACTION_LENGTH_MAX = 64
const TARGET_LENGTH_MAX = 128
const NAME_LENGTH_MAX = 400
const FINDING_TEXT_LENGTH_MAX = 500
/** Maximum number of findings in the result of one check of the books. */
export const FINDINGS_MAX = 200

/** Kinds of disagreement between the chain and the books. */
export const CHAIN_FINDING_KINDS = [
  // The vault paid a ticket that belongs to no withdrawal. Subject: `txHash:logIndex`.
  'unexplained-redemption',
  // The redemption of a completed withdrawal is no longer on the chain. Subject: `txHash:logIndex`.
  'redemption-reorganised',
  // A credited deposit is no longer on the chain. Subject: `txHash:logIndex`.
  'deposit-reorganised',
  // The vault counts a different number of deposits than the gateway has read. Subject: the vault.
  'deposit-count',
  // The vault's signer is not the signer of this gateway. Subject: the vault.
  'ticket-signer',
  // The database was restored or failed over, and has not been confirmed since. Subject: the timeline.
  'database-restored',
] as const

/** A withdrawal as shown to reviewers. */
const reviewedWithdrawal = z.object({
  ...withdrawal.shape,
  ownerAddress: walletOut,
  openedBy: walletOut.nullable().meta({ description: 'The admin who opened a withdrawal of fees.' }),
})

/** A withdrawal in the queue, with what its wallet withdrew before. */
const queuedWithdrawal = z.object({
  ...reviewedWithdrawal.shape,
  walletHistory: z
    .object({ paid: countOut, paidUsdc: usdcOut, rejected: countOut, firstOpenedAt: isoTime })
    .meta({ description: 'Of all withdrawals of this wallet. The first time if `paid` is 0.' }),
})

const JOBS_MAX = 100
const ENDPOINTS_MAX = 20
const PARTITIONS_MAX = 256

const waiting = (noun: string) =>
  z
    .object({ count: countOut, since: isoTime.nullable().meta({ description: 'Of the oldest.' }) })
    .optional()
    .meta({ description: `${noun}, counted up to 10,000.` })

/** Answer of `GET /admin/health`. */
export const gatewayHealth = z.object({
  status: success,
  asOf: isoTime,
  withdrawalsToReview: waiting('Withdrawals that wait for a review'),
  openSupportTasks: waiting('Support tasks that are open'),
  fees: z.object({
    accruedUsdc: usdcOut.meta({ description: 'Not paid out yet, open withdrawals included.' }),
    lockedUsdc: usdcOut.meta({ description: 'In open withdrawals.' }),
    lossesUsdc: usdcOut.meta({ description: 'Losses, to be covered by fees.' }),
    payableUsdc: usdcOut.meta({ description: 'What can be withdrawn now.' }),
  }),
  jobs: z
    .array(
      z.object({
        name: textOut(NAME_LENGTH_MAX),
        intervalSeconds: z.number().min(0).optional().meta({
          description: 'Pause between the end of a run and the next; longer after long runs of some jobs.',
        }),
        runs: countOut.meta({ description: 'Successful runs.' }),
        failures: countOut,
        lastStartedAt: isoTime.nullable().optional().meta({ description: 'Null before the first run.' }),
        lastRunMs: countOut.nullable().optional().meta({
          description: 'Duration of the last finished run; null before it.',
        }),
        lastOutcome: z.enum(['done', 'failed']).nullable().optional().meta({
          description: 'Of the last finished run; null before it.',
        }),
        lastDoneAt: isoTime.nullable().meta({ description: 'Null before the first success.' }),
        nextRunAt: isoTime.nullable().optional().meta({ description: 'Null during a run.' }),
      }),
    )
    .max(JOBS_MAX)
    .meta({ description: 'Periodic jobs of the responding gateway, since it started.' }),
  queue: z
    .object({ ready: countOut, scheduled: countOut, running: countOut, givenUp: countOut })
    .meta({ description: 'Queued jobs of all gateways, counted up to 10,000.' }),
  blocksBehind: countOut.nullable().meta({
    description: 'Blocks between the head of the chain and the deposits that were read; null if unknown.',
  }),
  endpoints: z
    .array(
      z.object({
        host: textOut(NAME_LENGTH_MAX),
        block: countOut.nullable().meta({ description: 'Its last height; null before its first answer.' }),
        failed: countOut,
        differed: countOut,
        wasBehind: countOut,
      }),
    )
    .max(ENDPOINTS_MAX)
    .meta({
      description: 'Endpoints of the chain, with their rejected answers since the start of the gateway.',
    }),
  partitions: z
    .array(
      z.object({
        partition: z.int().min(0).max(PARTITIONS_MAX),
        rows: countOut,
        behind: countOut.meta({ description: 'Rows that the tables do not reflect yet.' }),
      }),
    )
    .max(PARTITIONS_MAX)
    .meta({ description: "Partitions of the ledger's log." }),
})
export type GatewayHealth = z.output<typeof gatewayHealth>

/** Body of `POST /admin/fees/withdraw`. */
export const withdrawFeesIn = strict({
  amountUsdc: withdrawnAmount,
  destinationAddress: walletIn.optional().meta({ description: 'Wallet to pay; default: your own.' }),
  reason: plainText({ min: 1, max: REASON_LENGTH_MAX })
    .nullish()
    .meta({ description: 'Stored in the audit log.' }),
})

/** Answer of `GET /admin/withdrawals`. */
export const reviewQueue = z.object({
  status: success,
  withdrawals: z.array(queuedWithdrawal).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** Answer of `POST /admin/withdrawals/:withdrawalId/approve` and `.../reject`. */
export const reviewAnswer = z.object({ status: success, withdrawal: reviewedWithdrawal })

/** Body of acts with an optional reason; the body itself may be omitted. */
export const actIn = strict({
  reason: plainText({ min: 1, max: REASON_LENGTH_MAX }).nullish().meta({
    description: 'Stored in the audit log. The owner of what is suspended reads it.',
    example: 'Reported for returning other answers than it is paid for.',
  }),
}).nullish()

/** Path of a wallet, in any case; read in lower case. */
export const walletPathIn = z.object({
  address: z.string().max(TARGET_LENGTH_MAX).meta({
    description: 'A 0x wallet address, in any case.',
    pattern: '^0x[0-9a-fA-F]{40}$',
    example: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  }),
})

const suspendedAt = isoTime.nullable().meta({ description: 'Null while it is not suspended.' })

/** A service as shown to admins. */
const overseenService = z.object({
  serviceId: idOut('svc'),
  ownerAddress: walletOut,
  agentToolName: toolNameOut,
  serviceName: textOut(NAME_LENGTH_MAX),
  status: z.enum(['active', 'inactive', 'suspended', 'deleted']),
  isActive: z.boolean(),
  suspendedAt,
})

/** Answer of `POST /admin/services/:id/suspend` and `.../resume`. */
export const serviceActAnswer = z.object({
  status: success,
  serviceId: idOut('svc'),
  service: overseenService,
})

/** A wallet as shown to admins. */
const overseenWallet = z.object({
  walletAddress: walletOut,
  username: textOut(NAME_LENGTH_MAX),
  isProvider: z.boolean(),
  suspendedAt,
  createdAt: isoTime,
})

/** Answer of `POST /admin/wallets/:address/suspend` and `.../resume`. */
export const walletActAnswer = z.object({
  status: success,
  walletAddress: walletOut,
  wallet: overseenWallet,
})

/** Answer of `POST /admin/reconcile`: the result of a new check of the books. */
export const reconcileAnswer = z.object({
  status: success,
  consistent: z.boolean().meta({ description: 'While it is false no withdrawal ticket is issued.' }),
  findings: z
    .array(
      z.object({
        check: textOut(FINDING_TEXT_LENGTH_MAX).meta({ description: 'The invariant that does not hold.' }),
        row: textOut(FINDING_TEXT_LENGTH_MAX),
        expected: textOut(FINDING_TEXT_LENGTH_MAX),
        found: textOut(FINDING_TEXT_LENGTH_MAX),
      }),
    )
    .max(FINDINGS_MAX),
  findingsCount: countOut,
  vaultBalanceUsdc: usdcOut.nullable().meta({ description: 'Null while the chain is unreachable.' }),
  liabilitiesUsdc: usdcOut.meta({ description: 'Liabilities to wallets.' }),
  ledgerSumUsdc: usdcOut.meta({ description: 'Sum of all entries: zero.' }),
})

const FINDING_ACTS = ['adopt', 'reverse'] as const
const FINDING_ID = /^[1-9]\d{0,17}$/
const findingId = z.string().regex(FINDING_ID)

/** A disagreement between the chain and the books. */
const chainFinding = z.object({
  findingId,
  kind: z.enum(CHAIN_FINDING_KINDS),
  subject: textOut(TARGET_LENGTH_MAX).meta({
    description: 'Subject: `txHash:logIndex` of an event, or the address of the vault.',
  }),
  detail: z.record(textOut(ACTION_LENGTH_MAX), textOut(FINDING_TEXT_LENGTH_MAX)).meta({
    description: 'Hashes, nonces, wallets, amounts and heights of the disagreement.',
  }),
  acts: z.array(z.enum(FINDING_ACTS)).max(FINDING_ACTS.length).meta({
    description:
      'Acts by which an admin can settle it; empty if it closes automatically once its cause is gone.',
  }),
  foundAt: isoTime,
  resolvedAt: isoTime.nullable(),
  resolution: textOut(ACTION_LENGTH_MAX).nullable().meta({
    description: 'Null while it is open; `gone` when chain and books agree again, otherwise the act.',
  }),
})
export type ShownChainFinding = z.output<typeof chainFinding>

/** Answer of `GET /admin/findings`: open findings, oldest first. */
export const findingsAnswer = z.object({
  status: success,
  findings: z.array(chainFinding).max(FINDINGS_MAX),
})

/** Path of a finding. */
export const findingPathIn = z.object({
  findingId: z.string().max(TARGET_LENGTH_MAX).meta({
    description: 'The id of a finding.',
    pattern: FINDING_ID.source,
    example: '12',
  }),
})

const settleReason = plainText({ min: 1, max: REASON_LENGTH_MAX }).meta({
  description: 'Stored in the audit log.',
  example: 'Paid after the time of the restored backup.',
})

/** Body of `POST /admin/findings/:findingId/adopt`. */
export const adoptIn = strict({
  reason: settleReason,
  chargeTo: z.enum(['recipient', 'platform']).meta({
    description:
      '`recipient`: charged up to its earnings; the platform bears the rest. `platform`: the platform bears all.',
  }),
})

/** Body of `POST /admin/findings/:findingId/reverse`. */
export const reverseIn = strict({ reason: settleReason })

/** Answer of `POST /admin/findings/:findingId/adopt` and `.../reverse`. */
export const findingActAnswer = z.object({
  status: success,
  finding: chainFinding,
  chargedUsdc: usdcOut.meta({ description: 'Charged to the wallet.' }),
  borneUsdc: usdcOut.meta({ description: 'Borne by the platform.' }),
})

/** Query of `GET /admin/audit-log`. */
export const auditLogIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  actor: walletIn.optional().meta({ description: 'Acts of this admin only.' }),
  target: plainText({ min: 1, max: TARGET_LENGTH_MAX })
    .optional()
    .meta({ description: 'Acts on this record only: its id, or the address of a wallet.' }),
  action: z
    .string()
    .max(ACTION_LENGTH_MAX)
    .regex(/^[a-z-]+(\.[a-z-]+)*$/, 'Must be the name of an act, such as service.suspend.')
    .optional()
    .meta({ description: 'Acts of this kind only.', example: 'service.suspend' }),
  inForce: z.enum(['true']).optional().meta({
    description: 'Suspensions that have not been lifted only, once for each service or wallet.',
  }),
})

/** An entry of the audit log. */
const auditEntry = z.object({
  id: idOut('act'),
  actor: walletOut,
  action: textOut(ACTION_LENGTH_MAX).meta({ example: 'service.suspend' }),
  target: textOut(TARGET_LENGTH_MAX).meta({ description: 'Id of the record, or address of the wallet.' }),
  before: z.unknown().meta({ description: 'The record before the act; null when there was none.' }),
  after: z.unknown(),
  reason: textOut(REASON_LENGTH_MAX).nullable(),
  at: isoTime,
})
export type AuditEntry = z.output<typeof auditEntry>

/** Answer of `GET /admin/audit-log`: newest first. */
export const auditLogPage = z.object({
  status: success,
  entries: z.array(auditEntry).max(LIST_LIMIT_MAX),
  nextCursor,
})
