/** A signing secret as it is kept. */
export type SecretRow = {
  /** The keyid of its signatures. */
  readonly id: string
  readonly sealed: string
  readonly signsFrom: Date
  readonly createdAt: Date
  /** Whether `signsFrom` has come, by the time of the database. */
  readonly hasBegun: boolean
}

const PREFIX = 'sigsec_'

/** Returns a secret of 32 bytes, given in hex, as providers are shown it. */
export const shownSecret = (hex: string): string => `${PREFIX}${Buffer.from(hex, 'hex').toString('base64')}`

/** Returns the key of the HMAC: the bytes that a secret stands for. */
export const keyBytesOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/**
 * Returns the secret that signs now, and the one that takes over later.
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
