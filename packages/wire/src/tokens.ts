import { createHash } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const SECRET_BYTES = 32
const SECRET_CHARS = 43
const CHECKSUM_BYTES = 5
const CHECKSUM_CHARS = 6

/**
 * Writes a secret token: prefix, 32 bytes in base62, checksum. `agt_` tokens and `psk_` secrets look like this.
 *
 * @param secret 32 random bytes
 */
export function writeToken(prefix: string, secret: Uint8Array): string {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`A token holds ${SECRET_BYTES} bytes.`)
  const body = `${prefix}_${base62(secret, SECRET_CHARS)}`
  return body + checksum(body)
}

/**
 * Whether a text has the form of a token with this prefix, checksum included. Turns away typing errors and
 * noise without a look at the database; it proves nothing else.
 */
export function isTokenShaped(prefix: string, token: string): boolean {
  const length = prefix.length + 1 + SECRET_CHARS + CHECKSUM_CHARS
  if (token.length !== length || !token.startsWith(`${prefix}_`)) return false
  const split = length - CHECKSUM_CHARS
  return checksum(token.slice(0, split)) === token.slice(split)
}

/** What is stored of a token, and what it is found by: its SHA-256. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function checksum(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, CHECKSUM_BYTES)
  return base62(bytes, CHECKSUM_CHARS).slice(-CHECKSUM_CHARS)
}

function base62(bytes: Uint8Array, width: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  while (value > 0n) {
    text = BASE62.charAt(Number(value % 62n)) + text
    value /= 62n
  }
  return text.padStart(width, '0')
}
