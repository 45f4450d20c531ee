import { expect, test } from 'vitest'
import { z } from 'zod'
import { atMost, infinitePathIn, isDeeperThan, limitIn } from './common.ts'

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

test.each([
  [
    { a: 1, b: 2 },
    { a: 1, b: 2, c: 3 },
  ],
  [
    [1, 2],
    [1, 2, 3],
  ],
])('checks each of two entries, and none of three, of %j', (few, many) => {
  let checked = 0
  const counting = z.any().refine(() => {
    checked += 1
    return true
  })
  const schema = atMost(2, z.union([z.array(counting), z.record(z.string(), counting)]), 'Too many.')
  expect(schema.parse(few)).toEqual(few)
  expect(checked).toBe(2)
  expect(schema.safeParse(many).error?.issues).toMatchObject([{ message: 'Too many.', path: [] }])
  expect(checked).toBe(2)
})

test.each([
  ['{"a":[0,{"b":-1e400}],"c":1e400}', '.a.1.b'],
  [`{"a":1e308,"b":"1e400","c":null,"d":${'9'.repeat(100)}}`, null],
])('finds the first infinite number of %s', (text, path) => {
  expect(infinitePathIn(JSON.parse(text))).toBe(path)
})

test('counts the levels of a value of any depth', () => {
  const nested = (levels: number): unknown =>
    JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`)
  expect([isDeeperThan(1, 0), isDeeperThan([], 0), isDeeperThan([1], 0)]).toEqual([false, false, true])
  expect([isDeeperThan(nested(500), 500), isDeeperThan(nested(502), 500)]).toEqual([false, true])
  expect(isDeeperThan(nested(100_000), 500)).toBe(true)
})
