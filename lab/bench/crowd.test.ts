import { expect, test } from 'vitest'
import { plansOf } from './crowd.ts'
import { costOf } from './model-market.ts'

const shape = { streams: 1_000, chunks: 200, paceMs: 50 }

test('of a crowd with faults, 5 % are cut and 5 % are left, none of them both, all before the last chunk', () => {
  const plans = plansOf(shape, { owners: 10, hasFaults: true })
  const cut = plans.filter(({ script }) => script.cutAfter !== null)
  const left = plans.filter(({ leaveAfter }) => leaveAfter !== null)
  expect([cut.length, left.length]).toEqual([50, 50])
  expect(cut.some(({ leaveAfter }) => leaveAfter !== null)).toBe(false)
  const points = [...cut.map(({ script }) => script.cutAfter), ...left.map(({ leaveAfter }) => leaveAfter)]
  expect(points.every(at => at !== null && at >= 1 && at < shape.chunks)).toBe(true)
})

test('of a crowd without faults, every stream comes to its end', () => {
  const plans = plansOf(shape, { owners: 10, hasFaults: false })
  expect(plans.every(({ script, leaveAfter }) => script.cutAfter === null && leaveAfter === null)).toBe(true)
})

test('usage is priced per million tokens and rounded up once per call', () => {
  const script = { chunks: 0, paceMs: 0, cutAfter: null }
  expect(costOf({ ...script, inputTokens: 0, outputTokens: 0 })).toBe(0n)
  // 1.234567 micro-USDC and 6.000001 micro-USDC, as one sum.
  expect(costOf({ ...script, inputTokens: 1, outputTokens: 1 })).toBe(8n)
  expect(costOf({ ...script, inputTokens: 1_000_000, outputTokens: 1_000_000 })).toBe(7_234_568n)
})
