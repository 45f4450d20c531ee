import { z } from 'zod'
import {
  countOut,
  exampleId,
  idOut,
  isoTime,
  LABEL_LENGTH_MAX,
  LIST_LIMIT_MAX,
  labelIn,
  nextCursor,
  type Output,
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
import { resetIntervalIn } from '../intervals.ts'
import { strict } from '../strict.ts'
import { expiryIn } from './expiry.ts'
import { RPM_MAX, rpmIn } from './rate.ts'

/** Largest call cap. Omit the cap for no limit. */
export const MAX_CALLS_MAX = 1_000_000_000_000
/** Maximum number of services on an allow-list. */
const ALLOWED_SERVICES_MAX = 100
/** Maximum time for which the old token remains valid after a rotation: seven days. */
export const OVERLAP_SECONDS_MAX = 604_800

const maxCallsIn = z.int().min(1).max(MAX_CALLS_MAX).meta({ description: 'Cap on calls over its lifetime.' })
const serviceName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Must be a service id or an agentToolName.')
const allowedServicesIn = z
  .array(serviceName)
  .max(ALLOWED_SERVICES_MAX)
  .meta({ description: 'Ids or agentToolNames of the services that it may call; absent: all, empty: none.' })
const creditLimitIn = usdcIn.meta({
  description: 'Cap on what it may spend in a reset interval, in USDC; not above the spending policy.',
  example: 25,
})

const maxCostPerCallIn = usdcIn.meta({
  description: 'Maximum cost of one call, in USDC. Also bounds the output of models.',
  example: '0.050000',
})

/**
 * Body of `POST /credentials/agent/issue`. A limit that is absent or null is not set; a name is generated if absent.
 */
export const issueCredentialBody = strict({
  name: labelIn.nullish(),
  maxCalls: maxCallsIn.nullish(),
  creditLimit: creditLimitIn.nullish(),
  maxCostPerCallUsdc: maxCostPerCallIn.nullish(),
  rpm: rpmIn.nullish(),
  resetInterval: resetIntervalIn.nullish(),
  ...expiryIn,
  allowedServices: allowedServicesIn.nullish(),
})
/** Parsed {@link issueCredentialBody}: `creditLimit` is in micro-USDC. */
export type IssueCredentialBody = z.output<typeof issueCredentialBody>

/** Body of `PATCH /credentials/agent/:id/quota`. Absent members are unchanged; null removes the cap or the expiry. */
export const updateQuotaBody = strict({
  maxCalls: maxCallsIn.nullable().optional(),
  creditLimit: creditLimitIn.nullable().optional(),
  maxCostPerCallUsdc: maxCostPerCallIn.nullable().optional(),
  rpm: rpmIn.optional(),
  resetInterval: resetIntervalIn.optional(),
  ...expiryIn,
})

/**
 * Body of `PATCH /credentials/agent/:id`: the quota and other settings. Absent members are unchanged; null removes the
 * cap, the expiry or the allow-list. `expiresInSec` counts from now.
 */
export const updateCredentialBody = strict({
  ...updateQuotaBody.shape,
  name: labelIn.optional(),
  allowedServices: allowedServicesIn.nullable().optional(),
})
/** Parsed {@link updateCredentialBody}. */
export type UpdateCredentialBody = z.output<typeof updateCredentialBody>

/** Body of `POST /credentials/agent/:id/rotate`; optional. */
export const rotateCredentialBody = strict({
  overlapSeconds: z
    .int()
    .min(0)
    .max(OVERLAP_SECONDS_MAX)
    .nullish()
    .meta({ description: 'Seconds for which the old token stays valid; default: 0.' }),
}).nullish()

/** Maximum length of an id in a query. */
const ID_LENGTH_MAX = 64

/** Query of `GET /credentials/agent/list`. */
export const listCredentialsQuery = z.object({
  ...pageIn.shape,
  active_only: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false', '1', '0']))
    .default('false')
    .transform(text => text === 'true' || text === '1')
    .meta({
      description: 'Excludes revoked and expired credentials.',
      enum: ['true', 'false', '1', '0'],
    }),
  id: plainText({ min: 1, max: ID_LENGTH_MAX })
    .optional()
    .meta({ description: 'Only this credential.', example: exampleId('cred') }),
})

/** Query of `GET /credentials/agent/audit-logs`. */
export const listAuditLogsQuery = pageIn

/** Path of all routes below `/credentials/agent/:id`. */
export const credentialParams = z.object({ id: pathIdIn('cred') })

/**
 * Body of `PUT /balance/spending-limit`. Absent members are unchanged. `spendingLimitUsdc` is the monthly cap, null for
 * the gateway's default; `allowUnlimited` removes it; null removes the daily cap and the cap per call.
 */
export const spendingLimitBody = strict({
  spendingLimitUsdc: usdcIn
    .nullable()
    .optional()
    .meta({ description: 'Cap per UTC month; null: the default of the gateway.' }),
  allowUnlimited: z.boolean().optional().meta({ description: 'Removes the monthly cap.' }),
  dailyLimitUsdc: usdcIn.nullable().optional().meta({ description: 'Cap per UTC day; null: none.' }),
  perCallLimitUsdc: usdcIn.nullable().optional().meta({ description: 'Cap on one call; null: none.' }),
})
  .refine(body => Object.values(body).some(value => value !== undefined), 'Must set at least one limit.')
  .refine(
    body => !(body.allowUnlimited === true && typeof body.spendingLimitUsdc === 'bigint'),
    'spendingLimitUsdc and allowUnlimited exclude each other.',
  )
/** Parsed {@link spendingLimitBody}: amounts are in micro-USDC. */
export type SpendingLimitBody = z.output<typeof spendingLimitBody>

/** An agent token; returned only once, when it is created. */
export const agentToken = z
  .string()
  .regex(/^agt_[0-9A-Za-z]{49}$/)
  .meta({ description: 'Shown only once. Send it as `X-Credential`.' })

const limitOut = usdcOut.nullable()

const settings = {
  name: textOut(LABEL_LENGTH_MAX),
  maxCalls: z.int().min(1).nullable(),
  creditLimit: limitOut,
  maxCostPerCallUsdc: limitOut.meta({ description: 'Maximum cost of one call; null: no cap.' }),
  rpm: z.int().min(1).max(RPM_MAX),
  resetInterval: resetIntervalIn,
  allowedServices: z
    .array(serviceName)
    .max(ALLOWED_SERVICES_MAX)
    .nullable()
    .meta({ description: 'Null: all; empty: none.' }),
  expiresAt: unixTime.nullable().meta({ description: 'Unix seconds; null: never.' }),
}
/** Settings of a credential that its owner can change, as in the API and the audit trail. */
const credentialSettings = z.object(settings)
export type CredentialSettings = Output<typeof credentialSettings>

const credentialStatus = z.enum(['active', 'revoked', 'expired', 'deleted'])

/** A credential as the API returns it. */
const shownCredential = z
  .object({
    id: idOut('cred'),
    credential_id: idOut('cred'),
    ...settings,
    status: credentialStatus,
    createdAt: isoTime,
  })
  .meta({ id: 'Credential' })
export type ShownCredential = Output<typeof shownCredential>

/** Answer of `POST /credentials/agent/issue` and of `POST /credentials/agent/:id/rotate`. */
export const issuedCredential = z.object({
  status: success,
  token: agentToken,
  credentialId: idOut('cred'),
  credential: shownCredential.extend({ token: agentToken }),
})

const usage = {
  callsUsed: countOut,
  spentUsdc: usdcOut.meta({ description: 'Spent in the current reset interval.' }),
  heldUsdc: usdcOut.meta({ description: 'Held for calls in flight.' }),
}

const listedCredential = shownCredential.extend(usage)
export type ListedCredential = Output<typeof listedCredential>

/** Answer of `GET /credentials/agent/list`. */
export const credentialsPage = z.object({
  status: success,
  credentials: z.array(listedCredential).max(LIST_LIMIT_MAX),
  nextCursor,
})

/** Answer of operations that change a credential. */
export const changedCredential = z.object({
  status: success,
  credentialId: idOut('cred'),
  credential: shownCredential,
})
export type ChangedCredential = Output<typeof changedCredential>

/** Answer of `GET /credentials/agent/:id/status`. */
export const credentialState = z.object({
  status: success,
  credentialId: idOut('cred'),
  valid: z.boolean().meta({ description: 'Whether it is active and has calls left.' }),
  credentialStatus,
  isExpired: z.boolean(),
  callsExhausted: z.boolean(),
  expiresAt: unixTime.nullable(),
  maxCalls: z.int().min(1).nullable(),
  creditLimit: limitOut,
  ...usage,
})
export type CredentialState = z.output<typeof credentialState>

/** Actions on credentials and spending policies, as named in the audit trail. */
const credentialActions = [
  'issued',
  'updated',
  'quota_updated',
  'revoked',
  'rotated',
  'deleted',
  'spending_limit_updated',
] as const

const auditLog = z.object({
  id: idOut('aud'),
  action: z.enum(credentialActions),
  credentialId: idOut('cred').nullable().meta({ description: 'Null for acts on the spending policy.' }),
  actor: walletOut,
  at: isoTime,
  detail: z.record(z.string(), z.unknown()).meta({
    description: 'Details, such as `before` and `after` of a change, or the OAuth `client` that made it.',
  }),
})
export type CredentialAuditLog = Output<typeof auditLog>

/** Answer of `GET /credentials/agent/audit-logs`. */
export const auditLogsPage = z.object({
  status: success,
  logs: z.array(auditLog).max(LIST_LIMIT_MAX),
  nextCursor,
})

const policyLimits = {
  spendingLimitUsdc: limitOut.meta({ description: 'Per UTC month; null: no cap.' }),
  allowUnlimited: z.boolean(),
  dailyLimitUsdc: limitOut.meta({ description: 'Per UTC day; null: no cap.' }),
  perCallLimitUsdc: limitOut.meta({ description: 'Null: no cap.' }),
}
/** Limits of a spending policy, as in the API and the audit trail. */
const spendingLimits = z.object(policyLimits)
export type SpendingLimits = z.output<typeof spendingLimits>

/** Answer of `GET` and `PUT /balance/spending-limit`. */
export const spendingPolicyAnswer = z.object({
  status: success,
  ...policyLimits,
  spentThisMonthUsdc: usdcOut.meta({ description: 'Charged and held, this UTC month.' }),
  spentTodayUsdc: usdcOut.meta({ description: 'Charged and held, this UTC day.' }),
})
export type SpendingPolicyAnswer = z.output<typeof spendingPolicyAnswer>
