import { expect, test } from 'vitest'
import { summary } from '../../kit/tables.ts'
import type { ContestantName } from './contestants.ts'
import type { Series } from './measure.ts'
import { linesOf, noiseOf, ratioOf, reachedBy } from './verdict.ts'

/** Rounds of a contestant: calls per second, median latency in ms, and processor time of server and database in us. */
type Rounds = readonly (readonly [perSecond: number, p50: number, servers?: number, database?: number])[]

const seriesOf = (callers: number, contestants: Partial<Record<ContestantName, Rounds>>): Series[] =>
  Object.entries(contestants).map(([contestant, rounds]) => ({
    contestant: contestant as ContestantName,
    callers,
    rounds: rounds.map(([perSecond, p50, servers = 0, database = 0]) => ({
      perSecond,
      latency: { p50, p99: p50 * 2, max: p50 * 3 },
      micros: { servers, database },
      shedPerSecond: 0,
      goodByTarget: [],
      errors: 0,
      errorSamples: [],
    })),
  }))

test('the median is the middle round, or the mean of the middle two', () => {
  expect(summary([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 })
  expect(summary([4, 1, 2, 3])).toEqual({ median: 2.5, least: 1, most: 4 })
  expect(summary([5])).toEqual({ median: 5, least: 5, most: 5 })
})

test('a ratio compares rounds run side by side, so that a slow machine slows both', () => {
  const series = seriesOf(256, {
    control: [
      [100, 1],
      [200, 1],
      [400, 1],
    ],
    hot: [
      [50, 2],
      [60, 2],
      [80, 2],
    ],
  })
  expect(linesOf(series)[1]?.ratio).toEqual({ median: 0.3, least: 0.2, most: 0.5 })
  expect(ratioOf(series, { callers: 256, of: 'control', by: 'hot' })?.median).toBeCloseTo(10 / 3)
  expect(ratioOf(series, { callers: 64, of: 'hot', by: 'control' })).toBeNull()
  expect(ratioOf(series, { callers: 256, of: 'hot', by: 'replay' })).toBeNull()
})

test('reports a control that varies by more than half between rounds as noise', () => {
  const noiseAt = (most: number) =>
    noiseOf(
      linesOf(
        seriesOf(64, {
          control: [
            [100, 1],
            [most, 1],
          ],
        }),
      ),
    )
  expect(noiseAt(150)).toEqual([])
  expect(noiseAt(151)).toHaveLength(1)
})

test('reports processor time and latency of the core beside those of proxy and database in the same round', () => {
  const series = [
    ...seriesOf(1, { control: [[1_000, 0.5]], inserts: [[1_000, 1.5]], hot: [[300, 4]] }),
    ...seriesOf(256, { control: [[1_000, 1, 50]], hot: [[300, 1]], spread: [[250, 1, 200, 25]] }),
  ]
  const { gatewayTime, databaseTime, ...reached } = reachedBy(series)
  expect([gatewayTime, databaseTime]).toMatchObject([{ median: 4 }, { median: 0.5 }])
  expect(reached).toMatchObject({
    oneOwner: { median: 0.3 },
    manyOwners: { median: 0.25 },
    hotBySpread: { median: 1.2 },
    aloneP50: { median: 2 },
    aloneP99: { median: 2 },
    replays: null,
  })
})
