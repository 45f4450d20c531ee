import fc from 'fast-check'
import { expect, test } from 'vitest'
import { admitAtRate } from './rate.ts'

const START = 1_700_000_000_000_000n
const MINUTE = 60_000_000n

test('a fresh token may use its whole minute at once, and not one more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), rpm => {
      let tat = 0n
      for (let count = 1; count <= rpm; count += 1) {
        const decision = admitAtRate(rpm, tat, START)
        expect(decision.isAdmitted).toBe(true)
        expect(decision.remaining).toBe(rpm - count)
        tat = decision.tat
      }
      const refused = admitAtRate(rpm, tat, START)
      expect(refused.isAdmitted).toBe(false)
      expect(refused.seconds).toBeGreaterThanOrEqual(1)
      // Waiting as long as told is enough.
      expect(admitAtRate(rpm, tat, START + BigInt(refused.seconds) * 1_000_000n).isAdmitted).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('over any span no more is admitted than the burst and the rate allow', () => {
  const gaps = fc.array(fc.bigInt({ min: 0n, max: 3_000_000n }), { minLength: 1, maxLength: 400 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), gaps, (rpm, pauses) => {
      let now = START
      let tat = 0n
      const admitted: bigint[] = []
      for (const pause of pauses) {
        now += pause
        const decision = admitAtRate(rpm, tat, now)
        tat = decision.tat
        if (decision.isAdmitted) admitted.push(now)
      }
      const spacing = MINUTE / BigInt(rpm)
      expect(BigInt(admitted.length)).toBeLessThanOrEqual(BigInt(rpm) + (now - START) / spacing + 1n)
    }),
  )
})

test('a refused request costs nothing', () => {
  const { tat } = admitAtRate(1, 0n, START)
  expect(admitAtRate(1, tat, START + 1n).tat).toBe(tat)
})
