import { expect, test } from 'vitest'
import { enduranceBarsOf } from './endurance-report.ts'
import { fairnessBarsOf } from './fairness-report.ts'
import type { Soundness } from './open-loop-run.ts'
import { summary } from './verdict.ts'

const amounts = { expectedUsdc: '0', spentUsdc: '0', earnedUsdc: '0', feesUsdc: '0', heldUsdc: '0' }
const soundness = (isExact: boolean): Soundness => ({
  books: { isExact, paidCalls: 0, ...amounts, findings: [] },
  ...{ errors: 0, errorSamples: [] },
})
const metOf = (bars: readonly { isMet: boolean | null }[]) => bars.map(({ isMet }) => isMet)

test('memory is held to its peak and its growth, of a run that is long enough to tell', () => {
  const bars = (minutes: number, peakMiB: number, mibPerMinute: number) => {
    const trend = { mibPerMinute, leastMiB: 100, mostMiB: peakMiB }
    const memory = { beforeMiB: 90, peakMiB, isPeakExact: true, trend, samples: [] }
    const pace = { callers: 256, goodPerSecond: 1, shedPerSecond: 0, p99Ms: 1 }
    return metOf(enduranceBarsOf({ ...soundness(true), minutes, ...pace, memory }))
  }
  expect(bars(10, 250, 1)).toEqual([true, true, true])
  expect(bars(10, 251, 1.1)).toEqual([false, false, true])
  expect(bars(10, 200, -5)).toEqual([true, true, true])
  expect(bars(1, 200, 50)).toEqual([true, null, true])
})

test('an owner beside a hot one may be slower by a fifth, but none of his calls may be refused', () => {
  const latency = { p50: 1, p99: 1, p999: 1, max: 1 }
  const bars = (ratio: number, refused: number, isExact = true) => {
    const line = { background: null, backgroundShed: null, good: 100, latency, p99Ms: summary([1]) }
    const lines = [{ surrounding: 'one hot owner', refused, ...line }] as const
    const shape = { perSecond: 50, callers: 256, owners: 450, seconds: 15, rounds: 3 }
    return metOf(fairnessBarsOf({ ...soundness(isExact), ...shape, lines, ratio }))
  }
  expect(bars(1.2, 0)).toEqual([true, true])
  expect(bars(1.21, 0)).toEqual([false, true])
  expect(bars(0.5, 1, false)).toEqual([false, false])
})
