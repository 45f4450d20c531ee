import { z } from 'zod'

const WALLET = /^0x[0-9a-f]{40}$/i

/** A wallet address in the one form that is used inside: lower-case. */
export type WalletAddress = `0x${string}`

/**
 * Reads a wallet address, any case (EIP-55 checksums are not demanded of clients).
 *
 * @returns the address in lower case, or null when the text is none
 */
export function parseWallet(text: string): WalletAddress | null {
  return WALLET.test(text) ? (text.toLowerCase() as WalletAddress) : null
}

/** A wallet address in a body, any case; read in lower case. */
export const walletIn = z.string().transform((text, context): WalletAddress => {
  const wallet = parseWallet(text)
  if (wallet !== null) return wallet
  context.addIssue({ code: 'custom', message: 'Must be a 0x wallet address.' })
  return z.NEVER
})

/** Query of GET /auth/challenge. The route checks `address` itself, since its faults have codes of their own. */
export const challengeQuery = z.object({ address: z.union([z.string(), z.array(z.string())]).optional() })

/**
 * Body of POST /auth/verify: the wallet, the challenge exactly as it was handed out, and the wallet's signature
 * of it in hex, with or without 0x. What the last two hold decides whether they prove anything, not their form.
 */
export const verifyBody = z.object({ address: walletIn, message: z.string(), signature: z.string() })

/** What a wallet may do, as shown by GET /auth/me. */
export type Role = 'owner' | 'provider' | 'admin'

/** Body of GET /auth/challenge and POST /auth/me/profile/challenge. `expiresAt` is ISO 8601. */
export type ChallengeAnswer = {
  readonly success: true
  readonly challenge: string
  readonly domain: string
  readonly expiresAt: string
}

/** Body of POST /auth/verify. `expires_in` is in seconds. */
export type SessionAnswer = {
  readonly success: true
  readonly token: string
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
}

/** A wallet's profile as it looks to the wallet itself. Addresses are checksummed, `createdAt` is ISO 8601. */
export type Profile = {
  readonly wallet_address: string
  readonly walletAddress: string
  readonly ownerAddress: string
  readonly username: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly pendingEmail: string | null
  readonly emailVerificationStatus: 'none' | 'pending' | 'verified' | 'locked'
  readonly emailVerificationSendsRemaining: number
  readonly notifications: boolean
  readonly roles: readonly Role[]
  readonly createdAt: string
}

/** Body of GET /auth/me: the profile, and the same again under `profile`. */
export type MeAnswer = Profile & { readonly profile: Profile }
