import { expect, test } from 'vitest'
import { gridlinesOf } from '../src/ui/charts/gridlines.ts'

test('encloses all values by round gridlines, the same for the range that they make', () => {
  expect(gridlinesOf(0, 106.01, false)).toEqual([0, 50, 100, 150])
  expect(gridlinesOf(0, 0.05, false)).toEqual([0, 0.02, 0.04, 0.06])
  expect(gridlinesOf(-3, 4, false)).toEqual([-4, -2, 0, 2, 4])
  expect(gridlinesOf(0, 0, false)).toEqual([0, 0.25, 0.5, 0.75, 1])
  for (const high of [0.000001, 0.3, 1, 4.2, 7, 10, 99, 106.01, 250, 1_204_050]) {
    const lines = gridlinesOf(0, high, false)
    expect(lines.at(-1)).toBeGreaterThanOrEqual(high)
    expect(gridlinesOf(0, lines.at(-1) ?? 0, false)).toEqual(lines)
  }
})

test('draws gridlines of counts at whole numbers only', () => {
  for (const high of [0, 1, 3, 11, 26, 1_000])
    expect(gridlinesOf(0, high, true).every(Number.isInteger)).toBe(true)
})
