/** A signing secret as stored. */
export type SecretRow = {
  /** The keyid of its signatures. */
  readonly id: string
  readonly sealed: string
  readonly signsFrom: Date
  readonly createdAt: Date
  /** True if `signsFrom` has passed, by database time. */
  readonly hasBegun: boolean
}

const PREFIX = 'sigsec_'

/** Returns the text of a secret of 32 bytes given in hex, as shown to providers. */
export const shownSecret = (hex: string): string => `${PREFIX}${Buffer.from(hex, 'hex').toString('base64')}`

/** Returns the HMAC key of a secret. */
export const keyBytesOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/**
 * Returns the current secret and the next one.
 *
 * @param rows of one owner, the one that signs now first
 */
export function standingOf(rows: readonly SecretRow[]): {
  current: SecretRow | null
  next: SecretRow | null
} {
  const [current = null, ...others] = rows
  return { current, next: others.find(({ hasBegun }) => !hasBegun) ?? null }
}
