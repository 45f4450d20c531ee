import { z } from 'zod'
import {
  countOut,
  idOut,
  isoTime,
  LABEL_LENGTH_MAX,
  LIST_LIMIT_MAX,
  labelIn,
  nextCursor,
  type Output,
  pageIn,
  pathIdIn,
  success,
  textOut,
  unixTime,
  usdcIn,
  usdcOut,
  walletOut,
} from '../common.ts'
import { resetIntervalIn } from '../intervals.ts'
import { strict } from '../strict.ts'
import { MAX_CALLS_MAX } from './credentials.ts'
import { expiryIn } from './expiry.ts'
import { RPM_MAX, rpmIn } from './rate.ts'

/** Maximum number of provider secrets of a wallet. */
export const SECRETS_PER_WALLET_MAX = 100

/**
 * Body of `POST /secrets/provider/issue`. A limit that is absent or null is not set; `rpm` defaults to 600. A name is
 * generated if absent.
 */
export const issueSecretBody = strict({
  name: labelIn.nullish(),
  rpm: rpmIn.nullish(),
  creditLimit: usdcIn.nullish().meta({
    description: 'Cap on the amount that its usage reports may capture per reset interval, in USDC.',
    example: '25.00',
  }),
  resetInterval: resetIntervalIn.nullish(),
  maxCalls: z
    .int()
    .min(1)
    .max(MAX_CALLS_MAX)
    .nullish()
    .meta({ description: 'Cap on requests over its lifetime.' }),
  ...expiryIn,
})
/** Parsed {@link issueSecretBody}: `creditLimit` is in micro-USDC. */
export type IssueSecretBody = z.output<typeof issueSecretBody>

/** Path of `DELETE /secrets/provider/:id`. */
export const secretParams = z.object({ id: pathIdIn('psec') })

/** Query of `GET /secrets/provider/audit-logs`. */
export const listSecretLogsQuery = pageIn

/** Key of a provider secret; returned only once, when it is created. */
export const secretKey = z
  .string()
  .regex(/^psk_[0-9A-Za-z]{49}$/)
  .meta({ description: 'Shown only once. Send it as `Authorization: Bearer psk_...`.' })

/** Settings of a secret that its owner chooses, as in the API and the audit trail. */
export const secretSettings = z.object({
  name: textOut(LABEL_LENGTH_MAX),
  rpm: z.int().min(1).max(RPM_MAX),
  creditLimit: usdcOut.nullable(),
  resetInterval: resetIntervalIn,
  maxCalls: z.int().min(1).nullable(),
  expiresAt: unixTime.nullable().meta({ description: 'Unix seconds; null: never.' }),
})
export type SecretSettings = z.output<typeof secretSettings>

/** A secret as the API returns it. */
export const shownSecret = z
  .object({
    id: idOut('psec'),
    ...secretSettings.shape,
    maskedKey: z.string().regex(/^psk_[0-9A-Za-z]{4}\u2026[0-9A-Za-z]{4}$/),
    status: z.enum(['active', 'expired', 'deleted']).meta({
      description: '`expired`: past `expiresAt`, or all calls used.',
    }),
    callsUsed: countOut,
    capturedUsdc: usdcOut.meta({
      description: 'Captured by late usage reports in the current reset interval.',
    }),
    createdAt: isoTime,
    lastUsedAt: isoTime.nullable(),
  })
  .meta({ id: 'ProviderSecret' })
export type ShownSecret = z.output<typeof shownSecret>

/** Answer of `POST /secrets/provider/issue`. */
export const issuedSecret = z.object({ status: success, secret: shownSecret.extend({ secretKey }) })

/** Answer of `GET /secrets/provider/list`. */
export const secretsList = z.object({
  status: success,
  secrets: z.array(shownSecret).max(SECRETS_PER_WALLET_MAX),
})

/** Answer of `DELETE /secrets/provider/:id`. */
export const deletedSecret = z.object({ status: success, secretId: idOut('psec'), secret: shownSecret })

const secretLog = z.object({
  id: idOut('aud'),
  action: z.enum(['issued', 'rotated', 'deleted']).meta({ description: '`rotated`: signing secrets only.' }),
  secretId: idOut('(?:psec|sig)').meta({
    description: 'Of a provider secret, or key id of a signing secret.',
  }),
  actor: walletOut,
  at: isoTime,
  detail: z.record(z.string(), z.unknown()),
})
export type SecretLog = Output<typeof secretLog>

/** Answer of `GET /secrets/provider/audit-logs`. */
export const secretLogsPage = z.object({
  status: success,
  logs: z.array(secretLog).max(LIST_LIMIT_MAX),
  nextCursor,
})
