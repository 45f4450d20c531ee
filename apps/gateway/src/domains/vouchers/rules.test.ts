import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codeDigest, judgeRedemption, readCode, statusOf, writeCode } from './rules.ts'

/** Bytes that a code needs, of which it encodes 140 bits. */
const CODE_BYTES = 18

const random = fc
  .uint8Array({ minLength: CODE_BYTES, maxLength: CODE_BYTES })
  .map(bytes => Buffer.from(bytes).toString('hex'))

describe('a code', () => {
  test('is read the same, however it is typed', () => {
    const typing = fc.constantFrom<(code: string) => string>(
      code => code,
      code => code.toLowerCase(),
      code => code.replaceAll('-', ''),
      code => code.replaceAll('-', ' '),
      code => code.replace('FBX-', ''),
      code => ` ${code.replaceAll('-', ' - ')}\n`,
      code => code.replaceAll('-', '\u2013'),
      code => code.replaceAll('0', 'O').replaceAll('1', 'l'),
      code => code.replaceAll('0', 'o').replaceAll('1', 'I'),
    )
    fc.assert(
      fc.property(random, typing, (bytes, type) => {
        const code = writeCode(bytes)
        expect(code).toMatch(/^FBX(-[0-9A-HJKMNP-TV-Z]{4}){7}$/)
        expect(readCode(type(code))).toBe(code)
      }),
    )
  })

  test('encodes 140 random bits', () => {
    fc.assert(
      fc.property(random, fc.nat({ max: 139 }), (bytes, bit) => {
        const flipped = (BigInt(`0x${bytes}`) ^ (1n << BigInt(bit)))
          .toString(16)
          .padStart(CODE_BYTES * 2, '0')
        expect(writeCode(flipped)).not.toBe(writeCode(bytes))
      }),
    )
  })

  test('is not read from malformed text', () => {
    const code = writeCode(randomBytes(CODE_BYTES).toString('hex'))
    for (const text of ['', 'FBX', code.slice(0, -1), `${code}0`, code.replace(/.$/, 'U'), '💥'.repeat(28)])
      expect(readCode(text)).toBeNull()
    fc.assert(fc.property(fc.string({ maxLength: 200 }), text => void readCode(text)))
    expect(codeDigest(code)).toHaveLength(32)
  })
})

describe('a voucher', () => {
  const fresh = { redeemed: 0, redemptionsMax: 2, isExpired: false, isOwn: false }

  test.each([
    ['pays', fresh, null, 'active'],
    ['pays the last', { ...fresh, redeemed: 1 }, null, 'active'],
    ['is used up', { ...fresh, redeemed: 2 }, 'used_up', 'used_up'],
    ['has expired', { ...fresh, isExpired: true }, 'expired', 'expired'],
    ['is used up and has expired', { ...fresh, redeemed: 2, isExpired: true }, 'expired', 'used_up'],
    ['has paid this wallet', { ...fresh, redeemed: 1, isOwn: true }, 'by_this_wallet', 'active'],
    [
      'has paid this wallet and expired',
      { ...fresh, redeemed: 1, isOwn: true, isExpired: true },
      'by_this_wallet',
      'expired',
    ],
  ] as const)('that %s', (_, state, reason, status) => {
    expect(judgeRedemption(state)?.reason ?? null).toBe(reason)
    expect(statusOf(state)).toBe(status)
  })
})
