import { expect, test } from 'vitest'
import { type Finding, markSlices, readProbes } from '../src/ui/charts/probes.ts'

const found = (minute: number, more: Partial<Finding> = {}): Finding => ({
  source: 'probe',
  status: 'healthy',
  latencyMs: 10 * minute,
  checkedAt: `2026-01-01T00:0${minute}:00.000Z`,
  ...more,
})
const start = Date.parse('2026-01-01T00:00:00.000Z') / 1_000

test('orders probes by time', () => {
  const { count, answered, times, series } = readProbes([found(3), found(2), found(1)])
  expect({ count, answered }).toEqual({ count: 3, answered: 3 })
  expect(times).toEqual([start + 60, start + 120, start + 180])
  expect(series).toEqual([{ label: 'Latency', values: [10, 20, 30] }])
})

test('leaves a gap for a failed probe, whatever its latency', () => {
  const { answered, series } = readProbes([found(2, { status: 'unhealthy', latencyMs: 5_000 }), found(1)])
  expect(answered).toBe(1)
  expect(series[0]?.values).toEqual([10, null])
})

test('ignores results from calls', () => {
  expect(readProbes([found(1, { source: 'call' })])).toEqual({
    count: 0,
    answered: 0,
    times: [],
    series: [{ label: 'Latency', values: [] }],
  })
})

test('marks time slices by their worst check, and leaves those without checks empty', () => {
  const history = [found(9), found(8, { status: 'unhealthy' }), found(7), found(1)]
  expect(markSlices(history, [start, start + 600], 5)).toEqual(['good', null, null, 'good', 'bad'])
  expect(markSlices(history, [start + 420, start + 540], 2)).toEqual(['good', 'bad'])
})
