import { z } from 'zod'
import { isoTime, textOut } from '../common.ts'

const WALLET = /^0x[0-9a-f]{40}$/i

/** A wallet address in lower case, as used internally. */
export type WalletAddress = `0x${string}`

/**
 * Parses a wallet address in any case. EIP-55 checksums are not verified.
 *
 * @returns the address in lower case, or null if the text is not an address
 */
export function parseWallet(text: string): WalletAddress | null {
  return WALLET.test(text) ? (text.toLowerCase() as WalletAddress) : null
}

/** A wallet address in a body, in any case; read in lower case. */
export const walletIn = z
  .string()
  .meta({ pattern: '^0x[0-9a-fA-F]{40}$' })
  .transform((text, context): WalletAddress => {
    const wallet = parseWallet(text)
    if (wallet !== null) return wallet
    context.addIssue({ code: 'custom', message: 'Must be a 0x wallet address.' })
    return z.NEVER
  })

/** Query of GET /auth/challenge. The route validates `address`, as its errors have codes of their own. */
export const challengeQuery = z.object({
  address: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({
      anyOf: undefined,
      type: 'string',
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'Wallet that will sign. Required.',
    }),
})

/** Maximum length of a challenge, in characters. */
const CHALLENGE_LENGTH_MAX = 2_048
/** Signatures of smart wallets have no fixed length. */
const SIGNATURE_LENGTH_MAX = 65_536
/** A session token: a JWS in compact serialization. */
const sessionToken = z
  .string()
  .max(4_096)
  .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)
const SESSION_SECONDS_MAX = 86_400

/**
 * Body of POST /auth/verify: the wallet, the challenge as issued, and the wallet's signature of it in hex, with or
 * without 0x. The form of the last two is not validated here; a bad one fails verification.
 */
export const verifyBody = z.object({
  address: walletIn,
  message: z.string().meta({ maxLength: CHALLENGE_LENGTH_MAX, pattern: '^[^\\u0000]*$' }),
  signature: z.string().meta({ maxLength: SIGNATURE_LENGTH_MAX, pattern: '^(0x)?[0-9a-fA-F]*$' }),
})

/** Answer of GET /auth/challenge and POST /auth/me/profile/challenge. `expiresAt` is ISO 8601. */
export const challengeAnswer = z.object({
  success: z.literal(true),
  challenge: textOut(CHALLENGE_LENGTH_MAX),
  domain: textOut(255),
  expiresAt: isoTime,
})
export type ChallengeAnswer = z.output<typeof challengeAnswer>

/** Answer of POST /auth/verify. `expires_in` is in seconds. */
export const sessionAnswer = z.object({
  success: z.literal(true),
  token: sessionToken,
  access_token: sessionToken,
  token_type: z.literal('Bearer'),
  expires_in: z.int().min(0).max(SESSION_SECONDS_MAX),
})
export type SessionAnswer = z.output<typeof sessionAnswer>
