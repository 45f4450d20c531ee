import { expect, test } from 'vitest'
import { figureTable } from './figures.ts'

const metOf = (reached: Parameters<typeof figureTable>[0], name: RegExp) =>
  figureTable(reached)
    ?.find(([figure = '']) => name.test(figure))
    ?.at(-1)

test('a figure that equals its goal or its minimum meets it, whether less or more is better', () => {
  expect([1.6, 1.61, 2.2, 2.21].map(gatewayTime => metOf({ gatewayTime }, /gateway per paid call/))).toEqual([
    ...['goal', 'must', 'must', 'NOT met'],
  ])
  expect([0.6, 0.59, 0.45, 0.44].map(oneOwner => metOf({ oneOwner }, /one owner ÷ proxy/))).toEqual([
    ...['goal', 'must', 'must', 'NOT met'],
  ])
})

test('the table marks unmeasured figures, and is omitted when none was measured', () => {
  expect(metOf({ gatewayTime: 1, start: null }, /to ready/)).toBe('not measured')
  expect(figureTable({ start: null })).toBeNull()
})
