import { expect, test } from 'vitest'
import type { Series } from './measure.ts'
import { barsOf, linesOf, noiseOf, summary } from './verdict.ts'

const round = (perSecond: number, p50: number) => ({
  ...{ perSecond, latency: { p50, p99: p50 * 2, max: p50 * 3 } },
  ...{ goodByTarget: [], errors: 0, errorSamples: [] },
})

const series = (callers: number, control: [number, number][], gateway: [number, number][]): Series[] => [
  { contestant: 'control', callers, rounds: control.map(([rate, p50]) => round(rate, p50)) },
  { contestant: 'gateway, one owner', callers, rounds: gateway.map(([rate, p50]) => round(rate, p50)) },
]

test('the median of rounds is the middle one, of an even number the mean of the middle two', () => {
  expect(summary([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 })
  expect(summary([4, 1, 2, 3])).toEqual({ median: 2.5, least: 1, most: 4 })
  expect(summary([5])).toEqual({ median: 5, least: 5, most: 5 })
})

test('the ratio is that of rounds run side by side, so that a slow machine slows both of its sides', () => {
  const control: [number, number][] = [
    [100, 1],
    [200, 1],
    [400, 1],
  ]
  const [, gateway] = linesOf(
    series(256, control, [
      [50, 2],
      [60, 2],
      [80, 2],
    ]),
  )
  expect(gateway?.ratio).toEqual({ median: 0.3, least: 0.2, most: 0.5 })
  expect(gateway?.addedP50Ms).toBe(1)
})

test('a control that varies by more than half between rounds is told as noise', () => {
  const gateway: [number, number][] = [
    [50, 2],
    [50, 2],
  ]
  expect(
    noiseOf(
      linesOf(
        series(
          64,
          [
            [100, 1],
            [150, 1],
          ],
          gateway,
        ),
      ),
    ),
  ).toEqual([])
  expect(
    noiseOf(
      linesOf(
        series(
          64,
          [
            [100, 1],
            [151, 1],
          ],
          gateway,
        ),
      ),
    ),
  ).toHaveLength(1)
})

test('a bar is met at its edge, missed beyond it, and open when it was not measured', () => {
  const lines = [
    ...linesOf(series(1, [[1_000, 1]], [[300, 3]])),
    ...linesOf(series(256, [[100, 10]], [[35, 20]])),
  ]
  expect(barsOf(lines, true).map(bar => bar.isMet)).toEqual([true, true, true])
  const missed = [
    ...linesOf(series(1, [[1_000, 1]], [[300, 3.01]])),
    ...linesOf(series(256, [[100, 10]], [[34, 20]])),
  ]
  expect(barsOf(missed, false).map(bar => bar.isMet)).toEqual([false, false, false])
  expect(barsOf([], true).map(bar => bar.isMet)).toEqual([null, null, true])
})
