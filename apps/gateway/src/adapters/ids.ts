import { randomBytes, randomInt } from 'node:crypto'
import { writeToken } from '@farebox/wire/tokens'
import type { Ids } from '../ports.ts'
import { BASE32, timeText } from '../runtime/id-times.ts'

/** Two characters per ten bits: half the steps. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => BASE32.charAt(bits >> 5) + BASE32.charAt(bits & 31))

const RANDOM_CHARS = 16
const POOL_BYTES = 4_096
const TOKEN_RANDOM_BYTES = 32

/**
 * Creates identifiers that sort by their millisecond (48 bits of time, 80 bits of randomness, Crockford base32 in lower
 * case, the layout of ULID). Random bytes are drawn in blocks: one system call for many ids.
 */
export function createIds(now: () => number): Ids {
  let pool = Buffer.alloc(0)
  let used = 0
  let headOf = { time: -1, text: '' }

  /** Reserves random bytes; returns their offset. */
  const draw = (count: number): number => {
    if (used + count > pool.length) {
      pool = randomBytes(POOL_BYTES)
      used = 0
    }
    used += count
    return used - count
  }

  /** Many are created within a millisecond. */
  const head = (time: number): string => {
    if (time !== headOf.time) headOf = { time, text: timeText(time) }
    return headOf.text
  }

  return {
    next(prefix) {
      const from = draw(RANDOM_CHARS)
      let text = `${prefix}_${head(now())}`
      for (let at = from; at < from + RANDOM_CHARS; at += 2) text += PAIRS[pool.readUInt16LE(at) & 1_023]
      return text
    },
    token: (prefix, lead) => writeToken(prefix, randomBytes(TOKEN_RANDOM_BYTES), lead),
    nonce: bytes => randomBytes(bytes).toString('hex'),
    digits: count => String(randomInt(10 ** count)).padStart(count, '0'),
    random: () => Math.random(),
  }
}
