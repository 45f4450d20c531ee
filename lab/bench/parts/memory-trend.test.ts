import { expect, test } from 'vitest'
import { trendOf } from './memory-trend.ts'

const every5s = (count: number, mibOf: (minute: number, index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ atSeconds: index * 5, mib: mibOf(index / 12, index) }))

test('measures the growth of memory per minute', () => {
  expect(trendOf(every5s(121, minute => 150 + 2.5 * minute)).mibPerMinute).toBeCloseTo(2.5, 9)
})

test('reports oscillating memory as flat, with its minimum and maximum', () => {
  const { mibPerMinute, leastMiB, mostMiB } = trendOf(every5s(121, (_, index) => 200 + 10 * (index % 2)))
  expect(Math.abs(mibPerMinute)).toBeLessThan(0.1)
  expect([leastMiB, mostMiB]).toEqual([200, 210])
})

test('excludes the first third, while caches fill, from the trend', () => {
  const trend = trendOf(every5s(121, minute => (minute < 3.3 ? 100 + 30 * minute : 180)))
  expect(trend).toEqual({ mibPerMinute: 0, leastMiB: 180, mostMiB: 180 })
})

test('fits the slope by least squares', () => {
  // Four samples are left: (5, 1), (10, 4), (15, 2), (20, 5); by hand, 25/125 per second.
  const samples = [9, 9, 1, 4, 2, 5].map((mib, index) => ({ atSeconds: index * 5 - 5, mib }))
  expect(trendOf(samples).mibPerMinute).toBeCloseTo((60 * 25) / 125, 9)
})

test('reports no trend for a single sample', () => {
  expect(trendOf([{ atSeconds: 0, mib: 1 }]).mibPerMinute).toBeNaN()
})
