import { expect, test } from 'vitest'
import { attemptKey, requestKey, retryKeyPrefix, shownKey } from './attempt-keys.ts'

test('each attempt of a request has its own key, which is shown as the key of the request', () => {
  const keys = [attemptKey('key', 0), attemptKey('key', 1), attemptKey('key', 2)]
  expect(keys[0]).toBe('key')
  expect(new Set(keys).size).toBe(3)
  expect(keys.map(requestKey)).toEqual(['key', 'key', 'key'])
  expect(keys.map(shownKey)).toEqual(['key', 'key', 'key'])
})

test('the key of a counted request is shown as the id of its first call', () => {
  const key = `${retryKeyPrefix(Buffer.from('a'), { count: 1, path: '/x' })}inv_1`
  expect([shownKey(key), shownKey(attemptKey(key, 1)), shownKey('inv_2')]).toEqual([
    'inv_1',
    'inv_1',
    'inv_2',
  ])
})

test('the key prefix is alphanumeric and differs by request, path and count', () => {
  const prefix = (hash: string, path: string, count: number) =>
    retryKeyPrefix(Buffer.from(hash), { path, count })
  const all = [prefix('a', '/x', 0), prefix('b', '/x', 0), prefix('a', '/y', 0), prefix('a', '/x', 1)]
  expect(new Set(all).size).toBe(4)
  for (const each of all) expect(each).toMatch(/^retry\d[0-9a-f]{64}$/)
})
