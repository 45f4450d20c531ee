import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatchCost } from './batch-cost.ts'

/** Returns the cost learned from batches of these sizes. Each takes `ms.batch`, and `ms.item` more for each item. */
function learned(sizes: readonly number[], ms: { batch: number; item: number }) {
  const time = createBatchCost()
  for (const items of sizes) time.learn(items, ms.batch + items * ms.item)
  return time
}

test('estimates 0 before the first batch, then the duration of the first batch', () => {
  const time = createBatchCost()
  expect(time.of(512)).toBe(0)
  time.learn(10, 20)
  expect(time.of(512)).toBe(20)
})

test('estimates large batches from small ones of different sizes', () => {
  const time = learned([3, 40, 11, 25, 60, 8], { batch: 10, item: 0.25 })
  expect(time.of(512)).toBeCloseTo(10 + 512 * 0.25, 6)
})

test('never estimates less time for a larger batch, or a negative time', () => {
  const batches = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 768 }), fc.double({ min: 0, max: 1e5, noNaN: true })),
    {
      minLength: 1,
      maxLength: 100,
    },
  )
  fc.assert(
    fc.property(batches, fc.nat(768), fc.nat(768), (seen, a, b) => {
      const time = createBatchCost()
      for (const [items, ms] of seen) time.learn(items, ms)
      expect(time.of(Math.min(a, b))).toBeGreaterThanOrEqual(0)
      expect(time.of(Math.max(a, b))).toBeGreaterThanOrEqual(time.of(Math.min(a, b)))
    }),
  )
})

test('adapts to a faster database within thirty batches', () => {
  const time = learned([10, 200, 40, 120], { batch: 500, item: 2 })
  for (let batch = 0; batch < 30; batch += 1)
    time.learn(10 + (batch % 7) * 20, 5 + (10 + (batch % 7) * 20) * 0.1)
  expect(time.of(512)).toBeGreaterThan(40)
  expect(time.of(512)).toBeLessThan(75)
})
