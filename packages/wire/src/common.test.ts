import { expect, test } from 'vitest'
import { limitIn } from './common.ts'

test.each([
  [undefined, 20],
  ['', 20],
  ['1', 1],
  ['100', 100],
  ['101', 100],
  ['99999999999999999999', 100],
  ['0', 1],
  ['-5', 1],
])('parses the list limit %j as %i', (given, limit) => {
  expect(limitIn.parse(given)).toBe(limit)
})

test.each(['a', '1.5', '1e2', ' 1', '0x1', null, [1], true])('rejects the list limit %j', given => {
  expect(limitIn.safeParse(given).success).toBe(false)
})
