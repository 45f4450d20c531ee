import { createHash } from 'node:crypto'
import { assert as hold, integer, property, uint8Array } from 'fast-check'
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

  test('is known again by its shape, and under its own prefix only', () => {
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

  test('with one character changed, added or missing is not shaped like one', () => {
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

  test('has a form that does not change: old tokens go on being known', () => {
    // Computed once by an independent implementation.
    const token = 'agt_0El6XFXwsUFD8J2vGxsaboW7rZYnQRBP5d9erwRwd29bM00J0'
    expect(writeToken('agt', new Uint8Array(32).fill(1))).toBe(token)
    expect(isTokenShaped('agt', token)).toBe(true)
    expect(writeToken('psk', new Uint8Array(32))).toBe(`psk_${'0'.repeat(43)}3JaL3F`)
  })

  test('takes 32 bytes and no other number', () => {
    expect(() => writeToken('agt', new Uint8Array(31))).toThrow(RangeError)
  })

  test('is stored as its SHA-256', () => {
    expect(tokenDigest('agt_x')).toEqual(createHash('sha256').update('agt_x').digest())
  })
})
