import { expect, test } from 'vitest'
import {
  bearerTokenOf,
  defaultUsername,
  isListed,
  judgeChallenge,
  parseSignature,
  posesAsWallet,
} from './rules.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const login = { address: wallet, kind: 'login', expiresAt: new Date(1_000) } as const

test('a challenge serves its own wallet and kind until the moment it expires', () => {
  const use = { address: wallet, kind: 'login', now: 999 } as const
  expect(judgeChallenge(login, use)).toBe(null)
  expect(judgeChallenge(login, { ...use, now: 1_000 })).toBe('CHALLENGE_EXPIRED')
  expect(judgeChallenge(undefined, use)).toBe('CHALLENGE_EXPIRED')
  expect(judgeChallenge(login, { ...use, kind: 'profile' })).toBe('VERIFICATION_FAILED')
  expect(judgeChallenge({ ...login, address: '0xbb' }, use)).toBe('VERIFICATION_FAILED')
})

test('the zero address proves nothing, whatever the signature', () => {
  const address = `0x${'0'.repeat(40)}` as const
  const stored = { ...login, address }
  expect(judgeChallenge(stored, { address, kind: 'login', now: 0 })).toBe('VERIFICATION_FAILED')
})

test.each([
  ['0xAb', '0xab'],
  ['0XAB', '0xab'],
  ['ab', '0xab'],
  ['', null],
  ['0x', null],
  ['0xabc', null],
  ['0x0xab', null],
  ['ab0xcd', null],
  ['0xzz', null],
  ['ab\n', null],
  [' ab', null],
  ['０ab', null],
  ['ab'.repeat(16_384), `0x${'ab'.repeat(16_384)}`],
  ['ab'.repeat(16_385), null],
])('signature %.20s is read as %.20s', (text, signature) => {
  expect(parseSignature(text)).toBe(signature)
})

test.each([
  ['Bearer a.b.c', 'a.b.c'],
  ['bearer a.b.c', 'a.b.c'],
  ['BEARER   a.b.c ', 'a.b.c'],
  [undefined, null],
  ['', null],
  ['Bearer', null],
  ['Bearer ', null],
  ['a.b.c', null],
  ['Basic a.b.c', null],
  ['Bearera.b.c', null],
  ['Bearer a b', null],
  ['Bearer a.b.c, Bearer d.e.f', null],
  [`Bearer ${'a'.repeat(4_089)}`, 'a'.repeat(4_089)],
  [`Bearer ${'a'.repeat(4_090)}`, null],
])('header %.30s holds the token %.10s', (header, token) => {
  expect(bearerTokenOf(header)).toBe(token)
})

test('a wallet is found among the configured ones in any case', () => {
  expect(isListed([`0x${'0'.repeat(38)}AA`], wallet)).toBe(true)
  expect(isListed([], wallet)).toBe(false)
  expect(isListed([`0x${'0'.repeat(38)}ab`], wallet)).toBe(false)
})

test('a default username is short and ends like the address', () => {
  expect(defaultUsername('0x1234567890123456789012345678901234AbCd')).toBe('0x1234…AbCd')
})

test.each([
  ['0x1234…abcd'],
  ['0x1234...abcd'],
  ['0x 1234…abcd'],
  ['0X1234 .. ABCD'],
  ['0x123456…7890abcd (official)'],
  ['I am 0x1234…abcd'],
  ['0x1234567890123456789012345678901234567890'],
  ['0xdeadbeef'],
  ['\uff10\uff58\uff11\uff12\uff13\uff14…\uff41\uff42\uff43\uff44'],
  ['\u043e\u04451234…abcd'],
  ['Ox1234…abcd'],
])('rejects the name %s, which imitates another wallet', name => {
  expect(posesAsWallet(name, '0x1234567890123456789012345678901234AbC0')).toBe(true)
})

test.each([
  ['Ada'],
  ['0xAda'],
  ['0xBob Labs'],
  ['0x'],
  ['0x1234 and a half'],
  ['Box 1234'],
  ['0x1234…AbCd'],
  ['0x1234…abcd'],
  ['0x1234567890123456789012345678901234AbCd'],
  ['0x1234567890123456789012345678901234abcd'],
])('accepts the name %s, which imitates no other wallet', name => {
  expect(posesAsWallet(name, '0x1234567890123456789012345678901234AbCd')).toBe(false)
})
