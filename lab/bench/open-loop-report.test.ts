import { expect, test } from 'vitest'
import { tailsOf } from './open-loop.ts'
import { openBarsOf } from './open-loop-report.ts'
import type { Soundness } from './open-loop-run.ts'
import { overloadBarsOf } from './overload-report.ts'
import { summary } from './summary.ts'

const amounts = { expectedUsdc: '0', spentUsdc: '0', earnedUsdc: '0', feesUsdc: '0', heldUsdc: '0' }
const sound: Soundness = {
  books: { isExact: true, paidCalls: 0, ...amounts, findings: [] },
  errors: 0,
  errorSamples: [],
}
const none = summary([0])
const tails = (...p99s: number[]) => tailsOf(p99s.map(p99 => ({ p50: 1, p99, p999: 90, max: 99 })))
const metOf = (bars: readonly { isMet: boolean | null }[]) => bars.map(({ isMet }) => isMet)

test('the bar at half load is held to the median of the rounds, from when calls were due', () => {
  const figures = (p99: ReturnType<typeof tails>, share = 0.5) => {
    const line = { maximum: none, due: none, good: none, shed: none, unsent: 0 }
    const lines = [
      { contestant: 'control', share, ...line, latency: tails(99), served: tails(1) },
      { contestant: 'gateway', share, ...line, latency: p99, served: tails(1) },
    ] as const
    return { ...sound, callers: 256, seconds: 15, rounds: 3, lines }
  }
  expect(metOf(openBarsOf(figures(tails(14, 15, 80))))).toEqual([true, true])
  expect(metOf(openBarsOf(figures(tails(14, 15.1, 80))))).toEqual([false, true])
  expect(metOf(openBarsOf(figures(tails(1), 0.75)))).toEqual([null, true])
})

test('twice the saturating load is a bar, more of it is not', () => {
  const line = { due: none, good: none, shed: none, unsent: 0, served: tails(1), latency: tails(1) }
  const lines = [
    { load: '256 callers', isTwice: false, ...line, ratio: summary([1, 1, 1]) },
    { load: 'open loop', isTwice: true, ...line, ratio: summary([0.7, 0.9, 0.95]) },
    { load: '512 callers', isTwice: true, ...line, ratio: summary([0.7, 0.89, 0.95]) },
    { load: '1024 callers', isTwice: false, ...line, ratio: summary([0.1, 0.1, 0.1]) },
  ]
  const figures = { ...sound, callers: 256, connections: 8_192, seconds: 15, rounds: 3, lines }
  expect(metOf(overloadBarsOf(figures))).toEqual([true, false, true])
})
