import type { WalletAddress } from '@farebox/wire/auth'
import type { ErrorCode } from '@farebox/wire/errors'

/** What a challenge may be signed for. */
export type ChallengeKind = 'login' | 'profile'

/** A challenge as it is stored, without its text. */
export type StoredChallenge = {
  readonly address: string
  readonly kind: ChallengeKind
  readonly expires_at: Date
}

/** An ERC-6492 signature carries the calldata of a deployment: 16 KiB of it are room enough. */
const SIGNATURE_DIGITS_MAX = 2 * 16_384
const TOKEN_CHARS_MAX = 4_096
const NOBODY = '0x0000000000000000000000000000000000000000'

/** What is wrong with using a stored challenge for this, or null when nothing is. `now` in Unix milliseconds. */
export function judgeChallenge(
  stored: StoredChallenge | undefined,
  use: { address: WalletAddress; kind: ChallengeKind; now: number },
): ErrorCode | null {
  if (stored === undefined) return 'CHALLENGE_EXPIRED'
  if (stored.kind !== use.kind || stored.address !== use.address) return 'VERIFICATION_FAILED'
  // To a verifier contract that does not look, ecrecover's "no key" is the zero address, and it proves itself.
  if (stored.address === NOBODY) return 'VERIFICATION_FAILED'
  return stored.expires_at.getTime() <= use.now ? 'CHALLENGE_EXPIRED' : null
}

/** A signature as sent, in hex with or without 0x, in one form; or null when it is none that is looked at. */
export function parseSignature(text: string): `0x${string}` | null {
  const digits = text.replace(/^0x/i, '')
  const isWhole = digits.length % 2 === 0 && digits.length <= SIGNATURE_DIGITS_MAX
  return isWhole && /^[0-9a-f]+$/i.test(digits) ? `0x${digits.toLowerCase()}` : null
}

/** Username of a wallet that has chosen none: `0x1234…abcd`. */
export function defaultUsername(checksummed: string): string {
  return `${checksummed.slice(0, 6)}…${checksummed.slice(-4)}`
}

/** 0x and eight or more hex digits, or four, some ellipsis, and four; zero and x by look. */
const LIKE_AN_ADDRESS =
  /[0o\u043e\u03bf][x\u0445\u00d7]\s*(?:[0-9a-f]{8}|[0-9a-f]{4,}[^0-9a-z]+[0-9a-f]{4,})/u

/**
 * Whether a username reads as the address of another wallet, or as the short form of one, such as `0x1234…abcd`.
 * The width and style of the letters do not matter, nor does what stands around.
 */
export function posesAsWallet(username: string, checksummed: string): boolean {
  const own = [checksummed, defaultUsername(checksummed)].map(name => name.toLowerCase())
  if (own.includes(username.toLowerCase())) return false
  return LIKE_AN_ADDRESS.test(username.normalize('NFKC').toLowerCase())
}

/** The token of an `Authorization: Bearer` header (RFC 6750; the scheme in any case), or null when there is none. */
export function bearerTokenOf(header: string | undefined): string | null {
  if (header === undefined || header.length > TOKEN_CHARS_MAX) return null
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? null
}

/** Whether a wallet, in lower case, is among the configured ones, whatever their case. */
export function isListed(wallets: readonly string[], wallet: string): boolean {
  return wallets.some(listed => listed.toLowerCase() === wallet)
}
