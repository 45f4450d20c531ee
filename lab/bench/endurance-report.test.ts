import { expect, test } from 'vitest'
import { enduranceReached } from './endurance-report.ts'
import { fairnessBarsOf } from './fairness-report.ts'
import type { Soundness } from './open-loop-run.ts'
import { summary } from './summary.ts'

const amounts = { expectedUsdc: '0', spentUsdc: '0', earnedUsdc: '0', feesUsdc: '0', heldUsdc: '0' }
const soundness = (isExact: boolean): Soundness => ({
  books: { isExact, paidCalls: 0, ...amounts, findings: [] },
  errors: 0,
  errorSamples: [],
})
const metOf = (bars: readonly { isMet: boolean | null }[]) => bars.map(({ isMet }) => isMet)

test('growth of memory is told of a run that is long enough, its peak of any', () => {
  const reached = (minutes: number, peakMiB: number, mibPerMinute: number) => {
    const trend = { mibPerMinute, leastMiB: 100, mostMiB: peakMiB }
    const memory = { beforeMiB: 90, peakMiB, isPeakExact: true, trend, samples: [] }
    const pace = { callers: 256, perSecond: 1, shedPerSecond: 0, p99Ms: 1 }
    return enduranceReached({ ...soundness(true), minutes, ...pace, memory })
  }
  expect(reached(5, 250, 1.1)).toEqual({ memory: 250, memoryGrowth: 1.1 })
  expect(reached(4.9, 200, 50)).toEqual({ memory: 200, memoryGrowth: null })
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
