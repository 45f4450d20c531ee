import { expect, test } from 'vitest'
import { bucketStart, bucketStarts, lastDays } from './buckets.ts'

const iso = (ms: number) => new Date(ms).toISOString()

test.each([
  ['minute', '2026-11-25T13:37:00.000Z'],
  ['hour', '2026-11-25T13:00:00.000Z'],
  ['day', '2026-11-25T00:00:00.000Z'],
  ['week', '2026-11-23T00:00:00.000Z'],
] as const)('starts a bucket of a %s at its first ms in UTC', (bucket, start) => {
  expect(iso(bucketStart(bucket, Date.parse('2026-11-25T13:37:42.123Z')))).toBe(start)
  expect(iso(bucketStart(bucket, Date.parse(start)))).toBe(start)
})

test('covers a period with whole buckets and none beyond its end', () => {
  const from = Date.parse('2026-11-25T13:37:42Z')
  const until = (to: string) => bucketStarts('hour', { from, to: Date.parse(to) }).map(iso)
  expect(until('2026-11-25T15:00:00Z')).toEqual(['2026-11-25T13:00:00.000Z', '2026-11-25T14:00:00.000Z'])
  expect(until('2026-11-25T15:00:00.001Z')).toHaveLength(3)
  expect(until('2026-11-25T13:00:00Z')).toEqual([])
})

test('counts days in UTC, oldest first, across the end of a month', () => {
  expect(lastDays(Date.parse('2026-12-01T00:30:00Z'), 3)).toEqual([
    { age: 2, date: '2026-11-29' },
    { age: 1, date: '2026-11-30' },
    { age: 0, date: '2026-12-01' },
  ])
})
