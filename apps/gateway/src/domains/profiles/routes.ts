import { challengeAnswer } from '@farebox/wire/auth'
import {
  meAnswer,
  profileAnswer,
  resendCodeBody,
  updateProfileBody,
  verifyCodeBody,
} from '@farebox/wire/profiles'
import type { App } from '../../app.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { issueChallenge } from '../auth/issue-challenge.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { confirmEmail } from './confirm-email.ts'
import { pendingExample, updateExample, verifiedExample } from './examples.ts'
import { readProfile } from './read-profile.ts'
import { resendCode } from './resend-code.ts'
import { updateProfile } from './update-profile.ts'

const WINDOW_SECONDS = 60
/** Ratio of the limits on updates and challenges. Each update may cost a call to the chain. */
const ATTEMPTS_PER_CHALLENGE = 10

/** Registers the routes of profiles and email verification below `/api/v1`. */
export function profileRoutes(app: App, deps: Deps): void {
  readRoute(app, deps)
  updateRoutes(app, deps)
  emailRoutes(app, deps)
}

function readRoute(app: App, deps: Deps): void {
  app.get(
    '/auth/me',
    {
      ...contract({
        id: 'readProfile',
        summary: 'Read my profile',
        description: 'The profile of the signed-in wallet, with a pending email.',
        tag: 'Profile',
        access: 'wallet',
        answer: meAnswer,
        example: verifiedExample,
      }),
      onRequest: ownerGuard(deps),
    },
    request => readProfile(deps, ownerOf(request)),
  )
}

function updateRoutes(app: App, deps: Deps): void {
  const requireOwner = ownerGuard(deps)
  const limited = limiter(deps)
  const quota = deps.config.CHALLENGES_PER_MINUTE

  app.post(
    '/auth/me/profile/challenge',
    {
      ...contract({
        id: 'issueProfileChallenge',
        summary: 'Get a message to sign for a profile update',
        description:
          'A message (EIP-4361). Sign it unchanged (EIP-191) and send it with `PUT /auth/me/profile` within five minutes; it works once.',
        tag: 'Profile',
        access: 'wallet',
        errors: ['RATE_LIMITED'],
        answer: challengeAnswer,
      }),
      onRequest: [limited('profile-challenges', quota), requireOwner],
    },
    request => issueChallenge(deps, { kind: 'profile', address: ownerOf(request).wallet }),
  )

  app.put(
    '/auth/me/profile',
    {
      ...contract(
        {
          id: 'updateProfile',
          summary: 'Change my name, email or notifications',
          description:
            'Needs a signed profile challenge. Absent members stay unchanged. A six-digit code is mailed to a new email (5 mails per wallet and UTC day), which stays pending until `POST /auth/email/verify-code`. Sending the pending email again sends a new code, the verified one cancels a pending change, null removes both. If any part is refused, nothing changes and the challenge can still be used.',
          tag: 'Profile',
          access: 'wallet',
          errors: [
            'VERIFICATION_FAILED',
            'CHALLENGE_EXPIRED',
            'EMAIL_VERIFICATION_DAILY_LIMIT_REACHED',
            'RATE_LIMITED',
          ],
          answer: meAnswer,
          example: pendingExample,
          exampleBody: updateExample,
        },
        { body: updateProfileBody },
      ),
      onRequest: [limited('profile-updates', quota * ATTEMPTS_PER_CHALLENGE), requireOwner],
    },
    request => updateProfile(deps, ownerOf(request), request.body),
  )
}

function emailRoutes(app: App, deps: Deps): void {
  const requireOwner = ownerGuard(deps)

  app.post(
    '/auth/email/verify-code',
    {
      ...contract(
        {
          id: 'verifyEmailCode',
          summary: 'Confirm my email with the mailed code',
          description:
            'A code works once, for ten minutes. The fifth wrong one locks it: request another with `POST /auth/email/resend-code`.',
          tag: 'Profile',
          access: 'wallet',
          errors: [
            'EMAIL_VERIFICATION_INVALID_CODE',
            'EMAIL_VERIFICATION_NOT_PENDING',
            'EMAIL_VERIFICATION_EXPIRED',
            'EMAIL_VERIFICATION_LOCKED',
          ],
          answer: profileAnswer,
          example: { profile: verifiedExample.profile },
        },
        { body: verifyCodeBody },
      ),
      onRequest: requireOwner,
    },
    request => confirmEmail(deps, ownerOf(request), request.body),
  )

  app.post(
    '/auth/email/resend-code',
    {
      ...contract(
        {
          id: 'resendEmailCode',
          summary: 'Send a new code to my pending email',
          description: 'Invalidates the previous code. Counts towards the 5 mails per wallet and UTC day.',
          tag: 'Profile',
          access: 'wallet',
          errors: [
            'EMAIL_VERIFICATION_NOT_PENDING',
            'EMAIL_VERIFICATION_DAILY_LIMIT_REACHED',
            'RATE_LIMITED',
          ],
          answer: meAnswer,
          example: pendingExample,
        },
        { body: resendCodeBody },
      ),
      onRequest: [limiter(deps)('resends', deps.config.CHALLENGES_PER_MINUTE), requireOwner],
    },
    request => resendCode(deps, ownerOf(request), request.body.email),
  )
}

const limiter = (deps: Pick<Deps, 'clock'>) => (name: string, quota: number) =>
  limitPerClient(deps.clock, { name, quota, windowSeconds: WINDOW_SECONDS })
