import { hash } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const SECRET_BYTES = 32
const SECRET_CHARS = 43
const CHECKSUM_BYTES = 5
const CHECKSUM_CHARS = 6
const LEAD = /^[0-9A-Za-z]$/

/**
 * Encodes a secret token: prefix, 32 bytes in base62, checksum. Used for `agt_` tokens and `psk_` secrets.
 *
 * @param secret 32 random bytes
 * @param lead   base62 character that replaces the first of the secret; the other 42 keep 250 random bits
 * @throws RangeError for a secret of another length, and for a lead that is not one base62 character
 */
export function writeToken(prefix: string, secret: Uint8Array, lead?: string): string {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`A token holds ${SECRET_BYTES} bytes.`)
  if (lead !== undefined && !LEAD.test(lead))
    throw new RangeError('The lead of a token is one base62 character.')
  const text = base62(secret, SECRET_CHARS)
  const body = `${prefix}_${lead === undefined ? text : lead + text.slice(1)}`
  return body + checksum(body)
}

/**
 * Returns true if a text has the form of a token with this prefix and a valid checksum. Rejects typing errors without a
 * database query; proves nothing else.
 */
export function isTokenShaped(prefix: string, token: string): boolean {
  const length = prefix.length + 1 + SECRET_CHARS + CHECKSUM_CHARS
  if (token.length !== length || !token.startsWith(`${prefix}_`)) return false
  const split = length - CHECKSUM_CHARS
  return checksum(token.slice(0, split)) === token.slice(split)
}

/** Returns the SHA-256 of a token, by which it is stored and looked up. */
export function tokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

function checksum(text: string): string {
  // Five bytes fit in a double; this runs on every call.
  let rest = hash('sha256', text, 'buffer').readUIntBE(0, CHECKSUM_BYTES)
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARS; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
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
