import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Clock } from '../../../ports.ts'
import { createDatabaseTime } from './database-time.ts'

/** A local clock that the test sets. */
function clockAt(ms: number): Clock & { at: number } {
  return {
    at: ms,
    now() {
      return this.at
    },
    elapsed: () => 0,
    pause: () => Promise.resolve(),
  }
}

test('returns the local time until a database time is read', () => {
  expect(createDatabaseTime(clockAt(1_000)).now()).toEqual(new Date(1_000))
})

test('adjusts the estimate no further than the last reading requires', () => {
  const clock = clockAt(1_000)
  const time = createDatabaseTime(clock)
  // Sent at 1,000, answered at 1,010: the database's clock is ahead by 90 to 100 ms.
  clock.at = 1_010
  time.learn({ sentAt: 1_000, read: new Date(1_100) })
  expect(time.now()).toEqual(new Date(1_100))
  // By 95 to 105 ms: the estimate is raised to the lower bound.
  time.learn({ sentAt: 1_000, read: new Date(1_105) })
  expect(time.now()).toEqual(new Date(1_105))
  // By 60 to 70 ms: the estimate is lowered to the upper bound.
  time.learn({ sentAt: 1_000, read: new Date(1_070) })
  expect(time.now()).toEqual(new Date(1_080))
  // By 55 to 75 ms: the estimate of 70 ms fits.
  clock.at = 1_020
  time.learn({ sentAt: 1_000, read: new Date(1_075) })
  expect(time.now()).toEqual(new Date(1_090))
})

test('is never earlier than the last reading, even if the local clock was set back', () => {
  const clock = clockAt(5_000)
  const time = createDatabaseTime(clock)
  clock.at = 2_000
  time.learn({ sentAt: 5_000, read: new Date(5_010) })
  expect(time.now()).toEqual(new Date(5_010))
})

test('is off by at most the last round trip if both clocks run at the same rate', () => {
  const ms = fc.integer({ min: 0, max: 500 })
  const looks = fc.array(fc.record({ pause: ms, there: ms, back: ms }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(looks, fc.integer({ min: -10_000, max: 10_000 }), (statements, aheadMs) => {
      const clock = clockAt(100_000)
      const time = createDatabaseTime(clock)
      for (const { pause, there, back } of statements) {
        const sentAt = clock.at + pause
        const read = new Date(sentAt + there + aheadMs)
        clock.at = sentAt + there + back
        time.learn({ sentAt, read })
        const off = time.now().getTime() - (clock.at + aheadMs)
        expect(off).toBeLessThanOrEqual(there)
        expect(off).toBeGreaterThanOrEqual(-back)
      }
    }),
  )
})
