import { z } from 'zod'
import { labelIn, pageIn, usdcIn } from './common.ts'
import { resetIntervalIn } from './intervals.ts'
import { rpmIn } from './rate.ts'

/** Largest call cap that may be written; above it, leave the cap out. */
export const MAX_CALLS_MAX = 1_000_000_000_000
/** Longest life that may be asked for: ten years. Absent: it does not expire. */
export const EXPIRES_IN_SEC_MAX = 315_360_000
/** Most services on an allow-list. */
export const ALLOWED_SERVICES_MAX = 100
/** Longest time for which the old token may go on working after a rotation: seven days. */
export const OVERLAP_SECONDS_MAX = 604_800

const maxCallsIn = z.int().min(1).max(MAX_CALLS_MAX)
const expiresInSecIn = z.int().min(1).max(EXPIRES_IN_SEC_MAX)
const allowedServicesIn = z
  .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Must be a service id or an agentToolName.'))
  .min(1, 'Must name a service; leave it out to allow every service.')
  .max(ALLOWED_SERVICES_MAX)

/** Body of `POST /credentials/agent/issue`. A limit that is absent or null is not set. */
export const issueCredentialBody = z.object({
  name: labelIn,
  maxCalls: maxCallsIn.nullish(),
  creditLimit: usdcIn.nullish(),
  rpm: rpmIn.nullish(),
  resetInterval: resetIntervalIn.nullish(),
  expiresInSec: expiresInSecIn.nullish(),
  allowedServices: allowedServicesIn.nullish(),
})
/** {@link issueCredentialBody} as read: `creditLimit` in micro-USDC. */
export type IssueCredentialBody = z.output<typeof issueCredentialBody>

/** Body of `PATCH /credentials/agent/:id/quota`. Absent stays, null takes the cap away. */
export const updateQuotaBody = z.object({
  maxCalls: maxCallsIn.nullable().optional(),
  creditLimit: usdcIn.nullable().optional(),
  rpm: rpmIn.optional(),
  resetInterval: resetIntervalIn.optional(),
})

/**
 * Body of `PATCH /credentials/agent/:id`: the quota and what else may change. Absent stays; null takes the cap,
 * the expiry or the allow-list away. `expiresInSec` counts from now.
 */
export const updateCredentialBody = z.object({
  ...updateQuotaBody.shape,
  name: labelIn.optional(),
  expiresInSec: expiresInSecIn.nullable().optional(),
  allowedServices: allowedServicesIn.nullable().optional(),
})
/** {@link updateCredentialBody} as read. */
export type UpdateCredentialBody = z.output<typeof updateCredentialBody>

/** Body of `POST /credentials/agent/:id/rotate`; it may be left out. */
export const rotateCredentialBody = z
  .object({ overlapSeconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).nullish() })
  .nullish()

/** Query of `GET /credentials/agent/list`. */
export const listCredentialsQuery = z.object({
  ...pageIn.shape,
  active_only: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false', '1', '0']))
    .default('false')
    .transform(text => text === 'true' || text === '1'),
})

/** Query of `GET /credentials/agent/audit-logs`. */
export const listAuditLogsQuery = pageIn

/** Path of everything below `/credentials/agent/:id`. */
export const credentialParams = z.object({ id: z.string() })

/**
 * Body of `PUT /balance/spending-limit`. Absent stays. `spendingLimitUsdc` is the monthly cap, null the default of
 * the gateway; `allowUnlimited` takes the cap away; null clears the daily cap and the cap per call.
 */
export const spendingLimitBody = z
  .object({
    spendingLimitUsdc: usdcIn.nullable().optional(),
    allowUnlimited: z.boolean().optional(),
    dailyLimitUsdc: usdcIn.nullable().optional(),
    perCallLimitUsdc: usdcIn.nullable().optional(),
  })
  .refine(body => Object.values(body).some(value => value !== undefined), 'Must set at least one limit.')
  .refine(
    body => !(body.allowUnlimited === true && typeof body.spendingLimitUsdc === 'bigint'),
    'spendingLimitUsdc and allowUnlimited exclude each other.',
  )
/** {@link spendingLimitBody} as read: amounts in micro-USDC. */
export type SpendingLimitBody = z.output<typeof spendingLimitBody>
