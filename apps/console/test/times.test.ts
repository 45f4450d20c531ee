import { expect, test } from 'vitest'
import { formatDay, formatRelative } from '../src/ui/values/format-time.ts'

const NOW = '2026-03-01T12:00:00.000Z'
const at = (days: number) => new Date(Date.parse(NOW) + days * 86_400_000).toISOString()
const read = (days: number) => formatRelative(at(days), Date.parse(NOW))

test('shows near times by their distance, and others as dates', () => {
  expect(read(0)).toBe('just now')
  expect(read(-2 / 24)).toBe('2 hr. ago')
  expect(read(-4)).toBe('4 days ago')
  expect(read(6.9)).toBe('in 6 days')
  expect(read(-7)).toBe('Feb 22, 2026')
  expect(read(30)).toBe('Mar 31, 2026')
  expect(read(365)).toBe('Mar 1, 2027')
})

test('writes every date alike', () => {
  expect(formatDay(at(30))).toBe(read(30))
})
