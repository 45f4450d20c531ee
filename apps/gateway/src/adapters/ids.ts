import { createHash, randomBytes } from 'node:crypto'
import type { Ids } from '../ports.ts'

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const TIME_CHARS = 10
const RANDOM_CHARS = 16
const TOKEN_RANDOM_BYTES = 32
const TOKEN_BODY_CHARS = 43
const CHECKSUM_CHARS = 6

/**
 * Identifiers sort by the millisecond they were made in (48 bits of time, 80 bits of randomness, Crockford
 * base32 in lower case, the layout of ULID). Random bytes are drawn in blocks: one system call per many ids.
 */
export function createIds(now: () => number): Ids {
  let pool = Buffer.alloc(0)
  let used = 0

  const draw = (count: number): Buffer => {
    if (used + count > pool.length) {
      pool = randomBytes(4096)
      used = 0
    }
    used += count
    return pool.subarray(used - count, used)
  }

  return {
    next(prefix) {
      let time = now()
      let head = ''
      for (let index = 0; index < TIME_CHARS; index += 1) {
        head = BASE32.charAt(time % 32) + head
        time = Math.floor(time / 32)
      }
      let tail = ''
      for (const byte of draw(RANDOM_CHARS)) tail += BASE32.charAt(byte & 31)
      return `${prefix}_${head}${tail}`
    },
    token(prefix) {
      const body = base62(randomBytes(TOKEN_RANDOM_BYTES), TOKEN_BODY_CHARS)
      return `${prefix}_${body}${tokenChecksum(`${prefix}_${body}`)}`
    },
    nonce: bytes => randomBytes(bytes).toString('hex'),
  }
}

/**
 * Whether a text has the form of a token with this prefix, checksum included. Turns away typing errors and
 * noise without a look at the database; it proves nothing else.
 */
export function isTokenShaped(prefix: string, token: string): boolean {
  const length = prefix.length + 1 + TOKEN_BODY_CHARS + CHECKSUM_CHARS
  if (token.length !== length || !token.startsWith(`${prefix}_`)) return false
  const split = length - CHECKSUM_CHARS
  return tokenChecksum(token.slice(0, split)) === token.slice(split)
}

function tokenChecksum(text: string): string {
  return base62(createHash('sha256').update(text).digest().subarray(0, 5), CHECKSUM_CHARS).slice(
    -CHECKSUM_CHARS,
  )
}

function base62(bytes: Buffer, width: number): string {
  let value = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (value > 0n) {
    text = BASE62.charAt(Number(value % 62n)) + text
    value /= 62n
  }
  return text.padStart(width, '0')
}
