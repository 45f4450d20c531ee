import type { MeAnswer, Profile, Role } from '@farebox/wire/profiles'
import { getAddress } from 'viem'
import type { Owner } from '../auth/require-owner.ts'
import { type ProfileRecord, sendsLeft, statusOf, utcDay } from './rules.ts'

/** A wallet's profile as it is shown to the wallet. `now` in Unix milliseconds. */
export function presentProfile(owner: Owner, record: ProfileRecord, now: number): Profile {
  const address = getAddress(owner.wallet)
  return {
    wallet_address: address,
    walletAddress: address,
    ownerAddress: address,
    username: owner.username,
    email: record.email,
    emailVerified: record.email !== null,
    pendingEmail: record.staged?.email ?? null,
    emailVerificationStatus: statusOf(record),
    emailVerificationSendsRemaining: sendsLeft(record, utcDay(now)),
    notifications: record.notifications,
    roles: rolesOf(owner),
    createdAt: owner.createdAt.toISOString(),
  }
}

/** The same once at the top and once under `profile`. */
export function presentMe(owner: Owner, record: ProfileRecord, now: number): MeAnswer {
  const profile = presentProfile(owner, record, now)
  return { ...profile, profile }
}

/** Everybody signed in is an owner; the other roles come on top. */
function rolesOf(owner: Pick<Owner, 'isProvider' | 'isAdmin'>): Role[] {
  return [
    'owner',
    ...(owner.isProvider ? (['provider'] as const) : []),
    ...(owner.isAdmin ? (['admin'] as const) : []),
  ]
}
