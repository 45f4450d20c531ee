import { constantFrom, date, assert as hold, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { intervalEnd, intervalStart, RESET_INTERVALS } from './intervals.ts'

const instants = date({
  min: new Date('1971-01-01T00:00:00Z'),
  max: new Date('2199-12-31T23:59:59Z'),
  noInvalidDate: true,
})
const intervals = constantFrom(...RESET_INTERVALS)
describe('the start of an interval', () => {
  test('is never after the instant, and is its own start', () => {
    hold(
      property(intervals, instants, (interval, at) => {
        const start = intervalStart(interval, at)
        expect(start.getTime()).toBeLessThanOrEqual(at.getTime())
        expect(intervalStart(interval, start)).toEqual(start)
      }),
    )
  })

  test('is the end of the one before, and after the instant', () => {
    hold(
      property(intervals, instants, (interval, at) => {
        const end = intervalEnd(interval, at)
        expect(end === null).toBe(interval === 'never')
        if (end === null) return
        expect(end.getTime()).toBeGreaterThan(at.getTime())
        expect(intervalStart(interval, end)).toEqual(end)
        expect(intervalStart(interval, new Date(end.getTime() - 1))).toEqual(intervalStart(interval, at))
      }),
    )
  })

  test('is monotonic', () => {
    hold(
      property(intervals, instants, instants, (interval, a, b) => {
        const [early, late] = a <= b ? [a, b] : [b, a]
        expect(intervalStart(interval, early) <= intervalStart(interval, late)).toBe(true)
      }),
    )
  })

  test('of a longer kind is never after that of a shorter kind within it', () => {
    hold(
      property(instants, at => {
        const [hour, day, week, month] = (['hourly', 'daily', 'weekly', 'monthly'] as const).map(interval =>
          intervalStart(interval, at).getTime(),
        ) as [number, number, number, number]
        expect(day).toBeLessThanOrEqual(hour)
        expect(week).toBeLessThanOrEqual(day)
        expect(month).toBeLessThanOrEqual(day)
      }),
    )
  })

  test('matches the calendar', () => {
    const at = new Date('2024-03-03T17:45:12.345Z') // a Sunday
    expect(intervalStart('hourly', at)).toEqual(new Date('2024-03-03T17:00:00Z'))
    expect(intervalStart('daily', at)).toEqual(new Date('2024-03-03T00:00:00Z'))
    expect(intervalStart('weekly', at)).toEqual(new Date('2024-02-26T00:00:00Z'))
    expect(intervalStart('monthly', at)).toEqual(new Date('2024-03-01T00:00:00Z'))
    expect(intervalStart('never', at)).toEqual(new Date(0))
    expect(intervalStart('weekly', new Date('2024-03-04T00:00:00Z'))).toEqual(
      new Date('2024-03-04T00:00:00Z'),
    )
  })

  test('throws for an invalid date', () => {
    expect(() => intervalStart('daily', new Date(Number.NaN))).toThrow(RangeError)
  })
})
