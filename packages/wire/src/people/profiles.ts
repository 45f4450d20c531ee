import { z } from 'zod'
import { isoTime, walletOut } from '../common.ts'
import { verifyBody } from './auth.ts'
import { shownName } from './names.ts'

/** Maximum length of a username, in UTF-16 code units. */
export const USERNAME_LENGTH_MAX = 64
/** Maximum length of an email address (RFC 5321, 4.5.3.1.3). */
const EMAIL_LENGTH_MAX = 254
/** Maximum length of the part before the @ (RFC 5321, 4.5.3.1.1). */
const EMAIL_LOCAL_LENGTH_MAX = 64
/** Maximum number of verification mails of a wallet per UTC day. */
export const EMAIL_SENDS_PER_DAY = 5

/** Dot-separated atoms (RFC 5321) at a host name that contains a dot and whose last label starts with a letter. */
const EMAIL =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/

/** Display name of a wallet, normalized to NFC. The gateway rejects names that imitate another wallet. */
export const usernameIn = shownName(USERNAME_LENGTH_MAX).meta({ example: 'Ada' })

/** An email address, stored as given. */
export const emailIn = z
  .email({ pattern: EMAIL, error: 'Must be an email address.' })
  .max(EMAIL_LENGTH_MAX)
  .refine(
    email => email.indexOf('@') <= EMAIL_LOCAL_LENGTH_MAX,
    'Must have at most 64 characters before the @.',
  )
  .meta({ example: 'ada@example.com' })

/** A verification code from a mail. */
export const codeIn = z
  .string()
  .regex(/^[0-9]{6}$/, 'Must be six digits.')
  .meta({ example: '314159' })

/**
 * Body of PUT /auth/me/profile: a profile challenge as issued, the wallet's signature of it, and the changes. Absent
 * members are unchanged.
 */
export const updateProfileBody = z.object({
  message: verifyBody.shape.message,
  signature: verifyBody.shape.signature,
  username: usernameIn.optional(),
  email: emailIn.nullable().optional().meta({
    description:
      'A code is mailed to a new address, which stays pending until it is confirmed. The verified address cancels a pending change; null removes both.',
  }),
  notifications: z.boolean().optional(),
})
export type UpdateProfileBody = z.output<typeof updateProfileBody>

/** Body of POST /auth/email/verify-code. */
export const verifyCodeBody = z.object({ email: emailIn, code: codeIn })
export type VerifyCodeBody = z.output<typeof verifyCodeBody>

/** Body of POST /auth/email/resend-code. */
export const resendCodeBody = z.object({ email: emailIn })

/** Roles of a wallet. */
const role = z.enum(['owner', 'provider', 'admin'])
export type Role = z.output<typeof role>

const emailOut = z.email({ pattern: EMAIL }).max(EMAIL_LENGTH_MAX)

const profileFields = {
  wallet_address: walletOut,
  walletAddress: walletOut,
  ownerAddress: walletOut,
  username: z.string().min(1).max(USERNAME_LENGTH_MAX).meta({ pattern: '^[^\\u0000-\\u001F\\u007F]*$' }),
  email: emailOut.nullable().meta({ description: 'The verified address.' }),
  emailVerified: z.boolean(),
  pendingEmail: emailOut.nullable().meta({ description: 'Address that is not confirmed yet.' }),
  emailVerificationStatus: z.enum(['none', 'pending', 'verified', 'locked']).meta({
    description: '`locked`: five wrong codes; a resend or another address unlocks.',
  }),
  emailVerificationSendsRemaining: z.int().min(0).max(EMAIL_SENDS_PER_DAY).meta({
    description: 'Verification mails left today (UTC).',
  }),
  notifications: z.boolean().meta({
    description:
      'Whether to email the wallet about events, such as alerts. Verification codes are always sent.',
  }),
  roles: z.array(role).min(1).max(role.options.length),
  createdAt: isoTime,
}
const profile = z.object(profileFields)
/** A wallet's profile as returned to the wallet itself. */
export type Profile = z.output<typeof profile>

/** Answer of GET /auth/me, of the update and of the resend: the profile, repeated under `profile`. */
export const meAnswer = z.object({ ...profileFields, profile })
export type MeAnswer = z.output<typeof meAnswer>

/** Answer of POST /auth/email/verify-code. */
export const profileAnswer = z.object({ profile })
export type ProfileAnswer = z.output<typeof profileAnswer>
