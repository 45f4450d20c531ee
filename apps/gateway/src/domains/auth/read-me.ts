import type { MeAnswer, Profile, Role } from '@farebox/wire/auth'
import { getAddress } from 'viem'
import type { Owner } from './require-owner.ts'

/** How a wallet stands with its email. */
export type EmailState = Pick<
  Profile,
  | 'email'
  | 'emailVerified'
  | 'pendingEmail'
  | 'emailVerificationStatus'
  | 'emailVerificationSendsRemaining'
  | 'notifications'
>

/** Verification mails that a wallet may have sent per UTC day. */
export const EMAIL_SENDS_PER_DAY = 5

/** A wallet that has never given an email. */
export const NO_EMAIL: EmailState = {
  email: null,
  emailVerified: false,
  pendingEmail: null,
  emailVerificationStatus: 'none',
  emailVerificationSendsRemaining: EMAIL_SENDS_PER_DAY,
  notifications: true,
}

/** A wallet's profile as it is shown to the wallet: once at the top, once under `profile`. */
export function presentMe(owner: Owner, email: EmailState): MeAnswer {
  const address = getAddress(owner.wallet)
  const profile: Profile = {
    wallet_address: address,
    walletAddress: address,
    ownerAddress: address,
    username: owner.username,
    ...email,
    roles: rolesOf(owner),
    createdAt: owner.createdAt.toISOString(),
  }
  return { ...profile, profile }
}

/** Everybody signed in is an owner; the other roles come on top. */
export function rolesOf(owner: Pick<Owner, 'isProvider' | 'isAdmin'>): Role[] {
  return [
    'owner',
    ...(owner.isProvider ? (['provider'] as const) : []),
    ...(owner.isAdmin ? (['admin'] as const) : []),
  ]
}
