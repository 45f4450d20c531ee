import { expect, test } from 'vitest'
import { createSecretFilters } from './sent-secrets.ts'

/** Headers that count how often their value is read. */
function countedHeaders(value: string) {
  let reads = 0
  const headers = {
    get 'x-api-key'() {
      reads += 1
      return value
    },
  }
  return { sent: { headers, urls: [] }, reads: () => reads }
}

test('builds the filter of a service when it is first used, and once', () => {
  const filterOf = createSecretFilters()
  const { sent, reads } = countedHeaders('sk-live-0123456789')
  const filter = filterOf(sent)
  expect(reads()).toBe(0)
  expect(filter('bad key sk-live-0123456789')).toBe('bad key [redacted]')
  const readsOfOne = reads()
  for (let event = 0; event < 100; event += 1) filter('bad key sk-live-0123456789')
  for (let call = 0; call < 100; call += 1) filterOf(sent)('bad key sk-live-0123456789')
  expect(reads()).toBe(readsOfOne)
})

test('drops the filters that were not used for longest once they are too long together', () => {
  const filterOf = createSecretFilters()
  const first = countedHeaders('sk-live-0123456789')
  filterOf(first.sent)('')
  const readsOfOne = first.reads()
  for (let at = 0; at < 40; at += 1)
    filterOf({ headers: { 'x-api-key': `${at}`.padEnd(8_000, 'a') }, urls: [] })('')
  expect(filterOf(first.sent)('bad key sk-live-0123456789')).toBe('bad key [redacted]')
  expect(first.reads()).toBe(2 * readsOfOne)
})
