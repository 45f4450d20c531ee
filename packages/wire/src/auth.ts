import { z } from 'zod'
import { isoTime, walletOut } from './common.ts'

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
const role = z.enum(['owner', 'provider', 'admin'])
export type Role = z.output<typeof role>

/** Answer of GET /auth/challenge and POST /auth/me/profile/challenge. `expiresAt` is ISO 8601. */
export const challengeAnswer = z.object({
  success: z.literal(true),
  challenge: z.string(),
  domain: z.string(),
  expiresAt: isoTime,
})
export type ChallengeAnswer = z.output<typeof challengeAnswer>

/** Answer of POST /auth/verify. `expires_in` is in seconds. */
export const sessionAnswer = z.object({
  success: z.literal(true),
  token: z.string(),
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
})
export type SessionAnswer = z.output<typeof sessionAnswer>

const profileFields = {
  wallet_address: walletOut,
  walletAddress: walletOut,
  ownerAddress: walletOut,
  username: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  pendingEmail: z.string().nullable(),
  emailVerificationStatus: z.enum(['none', 'pending', 'verified', 'locked']),
  emailVerificationSendsRemaining: z.int().min(0),
  notifications: z.boolean(),
  roles: z.array(role),
  createdAt: isoTime,
}
const profile = z.object(profileFields)
/** A wallet's profile as it looks to the wallet itself. */
export type Profile = z.output<typeof profile>

/** Answer of GET /auth/me: the profile, and the same again under `profile`. */
export const meAnswer = z.object({ ...profileFields, profile })
export type MeAnswer = z.output<typeof meAnswer>
