import type { MeAnswer, Profile, UpdateProfileBody } from '@farebox/wire/profiles'

// Examples in the published contract: a wallet before and after its email is verified.

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const pending: Profile = {
  wallet_address: WALLET,
  walletAddress: WALLET,
  ownerAddress: WALLET,
  username: 'Ada',
  email: null,
  emailVerified: false,
  pendingEmail: 'ada@example.com',
  emailVerificationStatus: 'pending',
  emailVerificationSendsRemaining: 4,
  notifications: true,
  roles: ['owner'],
  createdAt: '2026-11-21T09:30:00.000Z',
}

const verified: Profile = {
  ...pending,
  email: 'ada@example.com',
  emailVerified: true,
  pendingEmail: null,
  emailVerificationStatus: 'verified',
}

/** A profile with a pending email. */
export const pendingExample: MeAnswer = { ...pending, profile: pending }
/** A profile with a verified email. */
export const verifiedExample: MeAnswer = { ...verified, profile: verified }

/** An update that results in {@link pendingExample}. */
export const updateExample: UpdateProfileBody = {
  message: `gateway.example.com wants you to sign in with your Ethereum account:
${WALLET}

Update your Farebox profile

URI: https://gateway.example.com
Version: 1
Chain ID: 8453
Nonce: 32e1a1f0b2c94d5e8f7a6b5c4d3e2f10
Issued At: 2026-11-21T09:31:00.000Z
Expiration Time: 2026-11-21T09:36:00.000Z`,
  signature: `0x${'5b'.repeat(64)}1c`,
  username: 'Ada',
  email: 'ada@example.com',
  notifications: true,
}
