import { expect, test } from 'vitest'
import { exactJson, roundIntegers, withExactIntegers } from './exact-integers.ts'

const read = (text: string): unknown => withExactIntegers(text, JSON.parse(text))

test.each([
  '{"id":9007199254740993}',
  '[1,-9223372036854775808,{"a":[18446744073709551615,"9007199254740993"]}]',
  '[ 115792089237316195423570985008687907853269984665640564039457584007913129639935 ]',
])('reads and writes %s as it is', text => {
  expect(exactJson(read(text))).toBe(text.replace('[ ', '[').replace(' ]', ']'))
})

test.each([
  ['1234567890123456', 1234567890123456],
  ['9007199254740992', 9007199254740992],
  ['0.12345678901234567890', 0.12345678901234568],
  ['1234567890123456789e3', 1.2345678901234568e21],
  ['12345678901234567.5', 12345678901234568],
  ['"a: 9007199254740993,"', 'a: 9007199254740993,'],
  ['9'.repeat(101), 1e101],
  ['"\\"9007199254740993"', '"9007199254740993'],
])('reads %s as JSON.parse does', (text, value) => {
  expect(read(`[${text}]`)).toEqual([value])
})

test('reads integers behind a byte order mark', () => {
  expect(exactJson(withExactIntegers('\ufeff{"id":9007199254740993}', {}))).toBe('{"id":9007199254740993}')
})

test('rounds to the nearest number, and copies only what has something to round', () => {
  const text = '{"a":[9007199254740993,{"b":null}],"c":"x"}'
  expect(roundIntegers(read(text))).toEqual(JSON.parse(text))
  const plain = { a: [1, { b: 'x' }] }
  expect(roundIntegers(plain)).toBe(plain)
})
