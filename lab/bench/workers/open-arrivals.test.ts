import { expect, test } from 'vitest'
import { createArrivals } from './open-arrivals.ts'

const times = (count: number, next: () => number) => Array.from({ length: count }, next)
const gapsOf = (at: readonly number[]) => at.slice(1).map((time, index) => time - (at[index] ?? 0))

test('even arrivals are a metronome', () => {
  const next = createArrivals({ perSecond: 200, spacing: 'even', seed: 1 })
  expect(times(5, next)).toEqual([0, 5, 10, 15, 20])
})

test('random arrivals come at the asked rate, with gaps as those of independent callers', () => {
  const gaps = gapsOf(times(100_001, createArrivals({ perSecond: 500, spacing: 'random', seed: 7 })))
  const mean = gaps.reduce((total, gap) => total + gap, 0) / gaps.length
  const variance = gaps.reduce((total, gap) => total + (gap - mean) ** 2, 0) / gaps.length
  expect(mean).toBeCloseTo(2, 1)
  // Of exponential gaps, the deviation is the mean, and 1 - 1/e of them are shorter than it.
  expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1)
  expect(gaps.filter(gap => gap < mean).length / gaps.length).toBeCloseTo(1 - 1 / Math.E, 2)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0)
})

test('the same seed gives the same times, another seed others', () => {
  const of = (seed: number) => times(20, createArrivals({ perSecond: 100, spacing: 'random', seed }))
  expect(of(3)).toEqual(of(3))
  expect(of(3)).not.toEqual(of(4))
})
