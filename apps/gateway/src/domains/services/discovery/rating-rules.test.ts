import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DayOfCalls, ratingOf, UNRATED_QUALITY } from './rating-rules.ts'

const today = (good: number, bad: number, meanMs = 100): DayOfCalls => ({
  age: 0,
  good,
  bad,
  latencyMs: good * meanMs,
  outputTokens: good * 50,
  outputMs: good * meanMs,
})
const days = fc.array(
  fc.record({
    age: fc.integer({ min: 0, max: 9 }),
    good: fc.nat(100_000),
    bad: fc.nat(100_000),
    latencyMs: fc.double({ min: 0, max: 1e10, noNaN: true }),
    outputTokens: fc.nat(1e9),
    outputMs: fc.double({ min: 0, max: 1e10, noNaN: true }),
  }),
  { maxLength: 9 },
)

describe('a rating', () => {
  test('stays within its bounds', () => {
    fc.assert(
      fc.property(days, given => {
        const { successRate, latencyMs, tokensPerSecond, reliability, quality } = ratingOf(given)
        for (const share of [successRate, reliability, quality]) {
          expect(share).toBeGreaterThanOrEqual(0)
          expect(share).toBeLessThanOrEqual(1)
        }
        if (latencyMs !== null) expect(latencyMs).toBeGreaterThanOrEqual(0)
        if (tokensPerSecond !== null) expect(tokensPerSecond).toBeGreaterThan(0)
      }),
    )
  })

  test('is not lowered by a successful call of the same speed, nor raised by a failed one', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), fc.integer({ min: 1, max: 5_000 }), (good, bad, meanMs) => {
        const before = ratingOf([today(good, bad, meanMs)])
        expect(ratingOf([today(good + 1, bad, meanMs)]).reliability).toBeGreaterThanOrEqual(
          before.reliability,
        )
        expect(ratingOf([today(good, bad + 1, meanMs)]).reliability).toBeLessThanOrEqual(before.reliability)
      }),
    )
  })

  test('is neutral without calls', () => {
    expect(ratingOf([])).toMatchObject({ isRated: false, latencyMs: null, quality: UNRATED_QUALITY })
    expect(ratingOf([today(200, 0)]).quality).toBeGreaterThan(UNRATED_QUALITY)
    expect(ratingOf([today(100, 100)]).quality).toBeLessThan(UNRATED_QUALITY)
  })

  test('needs five calls of today, or more of earlier days', () => {
    expect(ratingOf([today(4, 0)]).isRated).toBe(false)
    expect(ratingOf([today(3, 2)]).isRated).toBe(true)
    expect(ratingOf([{ ...today(5, 0), age: 1 }]).isRated).toBe(false)
  })

  test('weighs newer days more, and ignores those a week old', () => {
    const recovered = ratingOf([today(50, 0), { ...today(0, 50), age: 5 }])
    const failing = ratingOf([today(0, 50), { ...today(50, 0), age: 5 }])
    expect(recovered.successRate).toBeGreaterThan(0.75)
    expect(failing.successRate).toBeLessThan(0.25)
    expect(ratingOf([{ ...today(0, 1_000), age: 7 }])).toEqual(ratingOf([]))
  })

  test('reports the mean time of successful calls', () => {
    expect(ratingOf([today(10, 90, 250)]).latencyMs).toBe(250)
    expect(ratingOf([today(0, 10)]).latencyMs).toBeNull()
  })

  test('divides the output of successful calls by their time, and is null without output', () => {
    expect(ratingOf([today(10, 90, 250)]).tokensPerSecond).toBe(200)
    expect(ratingOf([today(10, 0, 250), { ...today(10, 0, 750), age: 7 }]).tokensPerSecond).toBe(200)
    expect(ratingOf([today(0, 10)]).tokensPerSecond).toBeNull()
    expect(ratingOf([{ ...today(10, 0), outputTokens: 0 }]).tokensPerSecond).toBeNull()
  })

  test('prefers the faster of two that never fail', () => {
    expect(ratingOf([today(100, 0, 50)]).quality).toBeGreaterThan(ratingOf([today(100, 0, 2_000)]).quality)
  })
})
