import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { believedUntil, nextTurn, scheduleOf, signingAt, type Turn } from './rules.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const schedule = scheduleOf({ SIGNING_KEY_DAYS: 30, SIGNING_KEY_OVERLAP_HOURS: 24 })
const START = 1_800_000_000_000
const first: Turn = { generation: 1, signsFrom: START }

describe('the next key', () => {
  test('is created at once if there is none, and signs at once', () => {
    expect(nextTurn([], START, schedule)).toEqual(first)
  })

  test('is created at the start of the overlap, not earlier', () => {
    const due = START + 29 * DAY
    expect(nextTurn([first], due - 1, schedule)).toBeNull()
    expect(nextTurn([first], due, schedule)).toEqual({ generation: 2, signsFrom: START + 30 * DAY })
  })

  test('is public for the whole overlap even if it was created late', () => {
    const late = START + 100 * DAY
    expect(nextTurn([first], late, schedule)).toEqual({ generation: 2, signsFrom: late + DAY })
  })
})

describe('at any time', () => {
  const looks = fc.array(fc.integer({ min: 1, max: 10 * 24 }), { minLength: 1, maxLength: 200 })
  const settings = fc.record({
    SIGNING_KEY_DAYS: fc.integer({ min: 1, max: 40 }),
    SIGNING_KEY_OVERLAP_HOURS: fc.integer({ min: 1, max: 72 }),
  })

  test('one key signs, published for the overlap before and after', () => {
    fc.assert(
      fc.property(looks, settings, (pauses, config) => {
        const its = scheduleOf(config)
        const turns: [Turn, ...Turn[]] = [first]
        const madeAt = [START]
        let now = START
        for (const hours of pauses) {
          now += hours * HOUR
          const due = nextTurn(turns, now, its)
          if (due !== null) {
            turns.push(due)
            madeAt.push(now)
          }
          expect(signingAt(turns, now).signsFrom).toBeLessThanOrEqual(now)
        }
        turns.forEach((turn, index) => {
          const next = turns[index + 1]
          if (index > 0) expect(turn.signsFrom - (madeAt[index] ?? 0)).toBeGreaterThanOrEqual(its.overlapMs)
          if (next === undefined) return
          expect(next.generation).toBe(turn.generation + 1)
          expect(signingAt(turns, next.signsFrom - 1)).toBe(turn)
          expect(signingAt(turns, next.signsFrom)).toBe(next)
          expect(believedUntil(turns, index, its)).toBe(next.signsFrom + its.overlapMs)
        })
      }),
    )
  })
})

test('signs with the first key when the clock is behind', () => {
  expect(signingAt([first], START - 5_000)).toBe(first)
})
