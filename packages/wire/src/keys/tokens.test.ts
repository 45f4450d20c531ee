import { createHash } from 'node:crypto'
import { constantFrom, assert as hold, integer, property, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTokenShaped, tokenDigest, writeToken } from './tokens.ts'

const secrets = uint8Array({ minLength: 32, maxLength: 32 })

describe('a token', () => {
  test('has its prefix, 43 characters of base62 and a checksum of 6', () => {
    hold(
      property(secrets, secret => {
        expect(writeToken('agt', secret)).toMatch(/^agt_[0-9A-Za-z]{49}$/)
      }),
    )
  })

  test('is recognized by its shape, under its own prefix only', () => {
    hold(
      property(secrets, secret => {
        const token = writeToken('agt', secret)
        expect(isTokenShaped('agt', token)).toBe(true)
        expect(isTokenShaped('psk', token)).toBe(false)
        expect(isTokenShaped('agt', token.replace('agt_', 'psk_'))).toBe(false)
        expect(isTokenShaped('psk', token.replace('agt_', 'psk_'))).toBe(false)
      }),
    )
  })

  test('is not recognized with one character changed, added or missing', () => {
    hold(
      property(secrets, integer({ min: 4, max: 52 }), (secret, at) => {
        const token = writeToken('agt', secret)
        const other = token[at] === 'x' ? 'y' : 'x'
        expect(isTokenShaped('agt', token.slice(0, at) + other + token.slice(at + 1))).toBe(false)
        expect(isTokenShaped('agt', token.slice(0, at) + token.slice(at + 1))).toBe(false)
        expect(isTokenShaped('agt', `${token}x`)).toBe(false)
      }),
    )
  })

  test('keeps its format: old tokens stay valid', () => {
    // Computed once by an independent implementation.
    const token = 'agt_0El6XFXwsUFD8J2vGxsaboW7rZYnQRBP5d9erwRwd29bM00J0'
    expect(writeToken('agt', new Uint8Array(32).fill(1))).toBe(token)
    expect(isTokenShaped('agt', token)).toBe(true)
    expect(writeToken('psk', new Uint8Array(32))).toBe(`psk_${'0'.repeat(43)}3JaL3F`)
  })

  test('needs exactly 32 bytes', () => {
    expect(() => writeToken('agt', new Uint8Array(31))).toThrow(RangeError)
  })

  test('starts with its lead, keeps the rest of the secret, and has a checksum over both', () => {
    hold(
      property(secrets, constantFrom(...'0123456789ABCDEF'), (secret, lead) => {
        const [plain, led] = [writeToken('agt', secret), writeToken('agt', secret, lead)]
        expect(led.slice(0, 47)).toBe(`agt_${lead}${plain.slice(5, 47)}`)
        expect(isTokenShaped('agt', led)).toBe(true)
        expect(isTokenShaped('agt', led.slice(0, 47) + plain.slice(47))).toBe(led === plain)
      }),
    )
  })

  test('keeps 250 random bits after its lead', () => {
    // Two secrets that agree in all 42 characters differ by a multiple of 62^42, of which 2^256 has not quite 61.
    expect(Math.log2(Number(2n ** 256n / 61n))).toBeGreaterThan(250)
    const last = (secret: bigint) =>
      writeToken('agt', Buffer.from(secret.toString(16).padStart(64, '0'), 'hex'), 'A').slice(5, 47)
    expect(last(62n ** 42n - 1n)).toBe('z'.repeat(42))
    expect(last(62n ** 42n)).toBe('0'.repeat(42))
  })

  test.each(['', '-', 'AB', ' '])('rejects the lead %j', lead => {
    expect(() => writeToken('agt', new Uint8Array(32), lead)).toThrow(RangeError)
  })

  test('is stored as its SHA-256', () => {
    expect(tokenDigest('agt_x')).toEqual(createHash('sha256').update('agt_x').digest())
  })
})
