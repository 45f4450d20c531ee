import { describe, expect, test } from 'vitest'
import { countedRetryOf, type EarlierCall, keyToJoin } from './retry-rules.ts'

const overloaded = { code: 'UPSTREAM_ERROR', message: '', requestId: 'r' }
const failure = (status: string, upstreamStatus: number) => ({
  httpStatus: 502,
  body: JSON.stringify({
    ...overloaded,
    detail: { code: 'UPSTREAM_ERROR', status, reason: 'status', upstreamStatus },
  }),
})
const call = (key: string, status: EarlierCall['status'], prefix = 0): EarlierCall => {
  const failed = status === 'FAILED_RETRYABLE' ? failure(status, 503) : failure(status, 400)
  return { key, status, prefix, failure: status.startsWith('FAILED') ? failed : null }
}

describe('a client retry', () => {
  const read = (headers: Record<string, unknown>, idempotencyKey: string | null = null) =>
    countedRetryOf({ headers, path: '/v1/x', idempotencyKey })?.count ?? null

  test('is recognized by its retry count, unless it has an idempotency key', () => {
    expect(read({ 'x-stainless-retry-count': '0' })).toBe(0)
    expect(read({ 'x-stainless-retry-count': '2' })).toBe(2)
    expect(read({ 'x-stainless-retry-count': '2' }, 'key')).toBeNull()
    for (const odd of ['', '-1', '1.0', '10', ' 1', ['1'], undefined]) {
      expect(read({ 'x-stainless-retry-count': odd })).toBeNull()
    }
  })

  const cases: [string, EarlierCall[], number, string | null][] = [
    ['is called anew when nothing is known', [], 1, null],
    ['waits for a request that is open', [call('a', 'PENDING')], 1, 'a'],
    ['takes the answer of one that was answered', [call('a', 'SUCCEEDED')], 2, 'a'],
    ['prefers an open request to an answered one', [call('b', 'SUCCEEDED'), call('a', 'PENDING')], 1, 'a'],
    ['prefers the newest', [call('b', 'PENDING'), call('a', 'PENDING')], 1, 'b'],
    ['is called anew after a failure', [call('a', 'FAILED_RETRYABLE')], 1, null],
    [
      'is called anew after its own failure beside an answer to another',
      [call('b', 'SUCCEEDED'), call('a', 'FAILED_RETRYABLE')],
      1,
      null,
    ],
    [
      'takes an answer when the failure beside it was retried',
      [call('c', 'FAILED_RETRYABLE', 1), call('b', 'SUCCEEDED'), call('a', 'FAILED_RETRYABLE')],
      1,
      'b',
    ],
    [
      'takes an answer beside a failure that no client retries',
      [call('b', 'SUCCEEDED'), call('a', 'FAILED_FINAL')],
      1,
      'b',
    ],
    ['waits for the retry before it', [call('b', 'PENDING', 1), call('a', 'FAILED_RETRYABLE')], 2, 'b'],
    ['never joins a request of its own count', [call('a', 'SUCCEEDED', 1)], 1, null],
    [
      'takes the answer of the last attempt of a request',
      [call('a', 'SUCCEEDED'), call('a', 'FAILED_RETRYABLE')],
      1,
      'a',
    ],
    [
      'is called anew when all attempts of a request failed',
      [call('a', 'FAILED_RETRYABLE'), call('a', 'FAILED_RETRYABLE')],
      1,
      null,
    ],
  ]
  test.each(cases)('%s', (_, calls, count, key) => {
    expect(keyToJoin(calls, count)).toBe(key)
  })
})
