import type { WalletAddress } from '@farebox/wire/auth'
import { type ErrorCode, GatewayError } from '@farebox/wire/errors'

/** Acts for which a challenge can be signed. */
export type ChallengeKind = 'login' | 'profile'

/** A challenge as stored, without its text. */
export type StoredChallenge = {
  readonly address: string
  readonly kind: ChallengeKind
  readonly expiresAt: Date
}

/** Room for an ERC-6492 signature, which contains the calldata of a deployment: 16 KiB. */
const SIGNATURE_DIGITS_MAX = 2 * 16_384
const TOKEN_CHARS_MAX = 4_096
const NOBODY = '0x0000000000000000000000000000000000000000'

/** Returns why a stored challenge cannot be used, or null. `now` in Unix milliseconds. */
export function judgeChallenge(
  stored: StoredChallenge | undefined,
  use: { address: WalletAddress; kind: ChallengeKind; now: number },
): ErrorCode | null {
  if (stored === undefined) return 'CHALLENGE_EXPIRED'
  if (stored.kind !== use.kind || stored.address !== use.address) return 'VERIFICATION_FAILED'
  // ecrecover returns the zero address on failure, which a careless verifier contract would accept as a signer.
  if (stored.address === NOBODY) return 'VERIFICATION_FAILED'
  return stored.expiresAt.getTime() <= use.now ? 'CHALLENGE_EXPIRED' : null
}

/** Returns WALLET_SUSPENDED, with the reason of the suspension if one was given. */
export function suspended(reason: string | null): GatewayError {
  if (reason === null) return new GatewayError('WALLET_SUSPENDED')
  return new GatewayError('WALLET_SUSPENDED', { reason }, { message: `This wallet is suspended. ${reason}` })
}

/** Normalizes a signature in hex, with or without 0x; returns null if it is malformed or too long. */
export function parseSignature(text: string): `0x${string}` | null {
  const digits = text.replace(/^0x/i, '')
  const isWhole = digits.length % 2 === 0 && digits.length <= SIGNATURE_DIGITS_MAX
  return isWhole && /^[0-9a-f]+$/i.test(digits) ? `0x${digits.toLowerCase()}` : null
}

/** Returns the default username of a wallet: `0x1234…abcd`. */
export function defaultUsername(checksummed: string): string {
  return `${checksummed.slice(0, 6)}…${checksummed.slice(-4)}`
}

/** 0x and eight or more hex digits, or four, an ellipsis and four; including characters that look like 0 and x. */
const LIKE_AN_ADDRESS =
  /[0o\u043e\u03bf][x\u0445\u00d7]\s*(?:[0-9a-f]{8}|[0-9a-f]{4,}[^0-9a-z]+[0-9a-f]{4,})/u

/**
 * Returns true if a username resembles the address of another wallet or its short form, such as `0x1234…abcd`. Ignores
 * the width and style of letters and any surrounding text.
 */
export function posesAsWallet(username: string, checksummed: string): boolean {
  const own = [checksummed, defaultUsername(checksummed)].map(name => name.toLowerCase())
  if (own.includes(username.toLowerCase())) return false
  return LIKE_AN_ADDRESS.test(username.normalize('NFKC').toLowerCase())
}

/** Returns the token of an `Authorization: Bearer` header (RFC 6750; scheme in any case), or null. */
export function bearerTokenOf(header: string | undefined): string | null {
  if (header === undefined || header.length > TOKEN_CHARS_MAX) return null
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? null
}

/** Returns true if a wallet, in lower case, is in a configured list, in any case. */
export function isListed(wallets: readonly string[], wallet: string): boolean {
  return wallets.some(listed => listed.toLowerCase() === wallet)
}
