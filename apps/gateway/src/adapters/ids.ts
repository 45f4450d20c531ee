import { randomBytes, randomInt } from 'node:crypto'
import { writeToken } from '@farebox/wire/tokens'
import type { Ids } from '../ports.ts'

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'

const TIME_CHARS = 10
const RANDOM_CHARS = 16
const TOKEN_RANDOM_BYTES = 32

/**
 * Identifiers sort by the millisecond they were made in (48 bits of time, 80 bits of randomness, Crockford
 * base32 in lower case, the layout of ULID). Random bytes are drawn in blocks: one system call per many ids.
 */
export function createIds(now: () => number): Ids {
  let pool = Buffer.alloc(0)
  let used = 0
  let headOf = { time: -1, text: '' }

  const draw = (count: number): Buffer => {
    if (used + count > pool.length) {
      pool = randomBytes(4096)
      used = 0
    }
    used += count
    return pool.subarray(used - count, used)
  }

  /** Many are made within a millisecond. */
  const head = (time: number): string => {
    if (time !== headOf.time) headOf = { time, text: timeText(time) }
    return headOf.text
  }

  return {
    next(prefix) {
      let tail = ''
      for (const byte of draw(RANDOM_CHARS)) tail += BASE32.charAt(byte & 31)
      return `${prefix}_${head(now())}${tail}`
    },
    token: prefix => writeToken(prefix, randomBytes(TOKEN_RANDOM_BYTES)),
    nonce: bytes => randomBytes(bytes).toString('hex'),
    digits: count => String(randomInt(10 ** count)).padStart(count, '0'),
    random: () => Math.random(),
  }
}

function timeText(time: number): string {
  let text = ''
  for (let index = 0, rest = time; index < TIME_CHARS; index += 1, rest = Math.floor(rest / 32)) {
    text = BASE32.charAt(rest % 32) + text
  }
  return text
}
