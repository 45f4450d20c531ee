import { expect, test } from 'vitest'
import { fillDays, firstOf } from '../src/ui/charts/days.ts'

const now = Date.parse('2026-03-01T23:59:59.999Z')

test('includes days without amounts, up to today', () => {
  const { times, values } = fillDays(
    [
      { day: '2026-03-01', usdc: '1.500000' },
      { day: '2026-02-27', usdc: '0.000001' },
    ],
    3,
    now,
  )
  expect(values).toEqual([0.000001, 0, 1.5])
  expect(times.map(time => new Date(time * 1_000).toISOString())).toEqual([
    '2026-02-27T12:00:00.000Z',
    '2026-02-28T12:00:00.000Z',
    '2026-03-01T12:00:00.000Z',
  ])
})

test('omits amounts before the first day', () => {
  expect(firstOf(3, now)).toBe('2026-02-27')
  expect(fillDays([{ day: '2026-02-26', usdc: '9.000000' }], 3, now).values).toEqual([0, 0, 0])
})
