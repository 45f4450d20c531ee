import { expect, test } from 'vitest'
import { createSightings } from './open-sightings.ts'

test('latencies are of calls due in the measured time, rates of answers that came in it', () => {
  const sightings = createSightings({ from: 1_000, to: 3_000 })
  const good = (dueAt: number, endedAt: number) =>
    sightings.answered({ end: 'good' }, { dueAt, sentAt: dueAt + 1, endedAt })
  good(900, 950)
  good(999, 1_000)
  good(1_000, 1_010)
  good(2_999, 2_999.5)
  good(2_999, 3_000)
  good(3_000, 3_001)
  const { duePerSecond, perSecond, each, served } = sightings.result(true)
  expect([duePerSecond, perSecond, each]).toEqual([1.5, 1.5, [10, 0.5, 1]])
  expect(served.max).toBe(9)
})

test('the tail is exact, and those that were never sent are part of it', () => {
  const sightings = createSightings({ from: 0, to: 1_000 })
  for (let ms = 1; ms <= 998; ms += 1) {
    sightings.answered({ end: 'good' }, { dueAt: 0, sentAt: 0, endedAt: ms })
  }
  sightings.leftOver(500, 5_000)
  sightings.leftOver(999, 5_001)
  sightings.leftOver(1_000, 5_000)
  const { latency, unsent } = sightings.result(false)
  expect(latency).toEqual({ p50: 500, p99: 990, p999: 4_002, max: 4_500 })
  expect(unsent).toBe(2)
})
