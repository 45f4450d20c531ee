import { expect, test } from 'vitest'
import { ASKED_PAUSE_SECONDS_MAX, readRetryAfter } from './retry-after.ts'

const NOW = Date.parse('2026-11-22T00:00:00Z')

test.each([
  ['120', 120],
  [' 0 ', 0],
  ['Sun, 22 Nov 2026 00:01:00 GMT', 60],
])('reads %j as %i s', (text, seconds) => {
  expect(readRetryAfter(text, NOW)).toBe(seconds)
})

test('rounds a date within a second up, and reads a past date as 0', () => {
  expect(readRetryAfter('Sun, 22 Nov 2026 00:00:01 GMT', NOW + 1)).toBe(1)
  expect(readRetryAfter('Sat, 21 Nov 2026 23:00:00 GMT', NOW)).toBe(0)
})

test.each(['9999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])('caps %j at a day', text => {
  expect(readRetryAfter(text, NOW)).toBe(ASKED_PAUSE_SECONDS_MAX)
})

test.each([
  '',
  'soon',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '99999999999',
  'Infinity',
  '60, 60',
  'Sun, 99 Nov 2026 00:00:00 GMT',
  '2026-11-22T00:01:00Z',
  'Sun Nov 22 00:01:00 2026',
])('ignores %j', text => {
  expect(readRetryAfter(text, NOW)).toBeNull()
})
