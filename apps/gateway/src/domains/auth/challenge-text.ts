import { createHash } from 'node:crypto'
import { getAddress } from 'viem'
import type { ChallengeKind } from './rules.ts'

const STATEMENTS = {
  login: 'Sign in to Farebox',
  profile: 'Update your Farebox profile',
} as const satisfies Record<ChallengeKind, string>

/** Contents of a challenge. `address` in any case, times in Unix milliseconds. */
export type ChallengeFacts = {
  readonly kind: ChallengeKind
  readonly address: string
  readonly publicUrl: string
  readonly chainId: number
  /** At least 8 letters and digits. */
  readonly nonce: string
  readonly issuedAt: number
  readonly expiresAt: number
}

/**
 * Returns the text to sign, an EIP-4361 message. Does not use viem's `createSiweMessage`, which produces the same text
 * but rejects authorities that EIP-4361 and RFC 3986 allow, such as `gateway:8402` in a container network and
 * `[::1]:8402`.
 */
export function challengeText(facts: ChallengeFacts): string {
  return [
    `${challengeDomain(facts.publicUrl)} wants you to sign in with your Ethereum account:`,
    getAddress(facts.address),
    '',
    STATEMENTS[facts.kind],
    '',
    `URI: ${facts.publicUrl}`,
    'Version: 1',
    `Chain ID: ${facts.chainId}`,
    `Nonce: ${facts.nonce}`,
    `Issued At: ${new Date(facts.issuedAt).toISOString()}`,
    `Expiration Time: ${new Date(facts.expiresAt).toISOString()}`,
  ].join('\n')
}

/** Returns the domain of a challenge: host and port of the gateway's public URL. */
export function challengeDomain(publicUrl: string): string {
  return new URL(publicUrl).host
}

/** Returns the SHA-256 of the exact text, under which a challenge is stored. */
export function challengeDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
