import { expect, test } from 'vitest'
import { createSecretFilters } from './sent-secrets.ts'

/** Headers that count how often their values are read. */
function countedHeaders(value: string) {
  let reads = 0
  const headers = {
    get 'x-api-key'() {
      reads += 1
      return value
    },
  }
  return { headers, reads: () => reads }
}

test('builds the filter of a service when it is first used, and once', () => {
  const filterOf = createSecretFilters()
  const { headers, reads } = countedHeaders('sk-live-0123456789')
  const filter = filterOf(headers)
  expect(reads()).toBe(0)
  expect(filter('bad key sk-live-0123456789')).toBe('bad key [redacted]')
  const readsOfOne = reads()
  for (let event = 0; event < 100; event += 1) filter('bad key sk-live-0123456789')
  for (let call = 0; call < 100; call += 1) filterOf(headers)('bad key sk-live-0123456789')
  expect(reads()).toBe(readsOfOne)
})

test('drops the filters that were not used for longest once their headers are too long together', () => {
  const filterOf = createSecretFilters()
  const first = countedHeaders('sk-live-0123456789')
  filterOf(first.headers)('')
  const readsOfOne = first.reads()
  for (let at = 0; at < 40; at += 1) filterOf({ 'x-api-key': `${at}`.padEnd(8_000, 'a') })('')
  expect(filterOf(first.headers)('bad key sk-live-0123456789')).toBe('bad key [redacted]')
  expect(first.reads()).toBe(2 * readsOfOne)
})
