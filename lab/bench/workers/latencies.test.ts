import { expect, test } from 'vitest'
import { createLatencies } from './latencies.ts'

test('percentiles are exact and by nearest rank, in any order of latencies', () => {
  const latencies = createLatencies()
  for (let value = 1_000; value >= 1; value -= 1) latencies.add(value)
  expect(latencies.count()).toBe(1_000)
  expect(latencies.percentiles()).toEqual({ p50: 500, p99: 990, max: 1_000 })
})

test('returns a single latency for every percentile, and zero without latencies', () => {
  const latencies = createLatencies()
  expect(latencies.percentiles()).toEqual({ p50: 0, p99: 0, max: 0 })
  latencies.add(3.5)
  expect(latencies.percentiles()).toEqual({ p50: 3.5, p99: 3.5, max: 3.5 })
})

test('keeps more latencies than the first array holds', () => {
  const latencies = createLatencies()
  for (let value = 1; value <= 200_000; value += 1) latencies.add(value)
  expect(latencies.count()).toBe(200_000)
  expect(latencies.percentiles().max).toBe(200_000)
})
