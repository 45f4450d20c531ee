import { createServer } from 'node:net'
import { createClient } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { expect, test } from 'vitest'
import { listen } from '../../../../apps/gateway/test/kit/network/loopback.ts'
import { isOutcomeOpen } from './outcome.ts'

const failureAt = (baseUrl: string): Promise<GatewayError> =>
  createClient({ baseUrl, retries: 0 })
    .readBalance()
    .then(
      () => Promise.reject(new Error('It was answered.')),
      error => error,
    )

test('only a connection that was never established proves that a request was not sent', async () => {
  const { origin, stop } = await listen(createServer(socket => socket.resetAndDestroy()))
  expect(isOutcomeOpen(await failureAt(origin))).toBe(true)
  await stop()
  const unsent = await failureAt(origin)
  expect(isOutcomeOpen(unsent)).toBe(false)
  expect(isOutcomeOpen(unsent, true)).toBe(true)
})

// Code and status of an error; the outcome of a first attempt, and of one after an attempt that may have arrived.
test.each([
  ['INTERNAL', 500, true, true],
  ['UNAVAILABLE', 503, true, true],
  ['UNREADABLE', 200, true, true],
  ['UNREADABLE', 404, false, true],
  ['RATE_LIMITED', 429, false, true],
  ['UNAUTHORIZED', 401, false, true],
  ['FORBIDDEN', 403, false, true],
  ['PRICE_MISMATCH', 422, false, false],
] as const)(
  '%s (%i) leaves the outcome of a first attempt open: %s, of another: %s',
  (code, status, first, other) => {
    const error = new GatewayError(code, 'It failed.', { status })
    expect([isOutcomeOpen(error), isOutcomeOpen(error, true)]).toEqual([first, other])
  },
)
