import type { MeAnswer, Profile, Role } from '@farebox/wire/profiles'
import { getAddress } from 'viem'
import type { Owner } from '../auth/require-owner.ts'
import { type ProfileRecord, sendsLeft, statusOf, utcDay } from './rules.ts'

/** Formats a wallet's profile for the wallet itself. `now` in Unix milliseconds. */
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

/** Formats the profile, repeated under `profile`. */
export function presentMe(owner: Owner, record: ProfileRecord, now: number): MeAnswer {
  const profile = presentProfile(owner, record, now)
  return { ...profile, profile }
}

/** Returns the roles of a wallet. Every signed-in wallet is an owner. */
function rolesOf(owner: Pick<Owner, 'isProvider' | 'isAdmin'>): Role[] {
  return [
    'owner',
    ...(owner.isProvider ? (['provider'] as const) : []),
    ...(owner.isAdmin ? (['admin'] as const) : []),
  ]
}
