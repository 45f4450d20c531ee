import { createServer } from 'node:net'
import { createClient } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { expect, test } from 'vitest'
import { listen } from '../../../../apps/gateway/test/kit/network/loopback.ts'
import { askAgain, wasNotSent } from './ask-again.ts'

const failureAt = (baseUrl: string): Promise<GatewayError> =>
  createClient({ baseUrl, retries: 0 })
    .readBalance()
    .then(
      () => Promise.reject(new Error('It was answered.')),
      error => error,
    )

test('only a connection that was never established proves that a request was not sent', async () => {
  const { origin, stop } = await listen(createServer(socket => socket.resetAndDestroy()))
  expect(wasNotSent(await failureAt(origin))).toBe(false)
  await stop()
  expect(wasNotSent(await failureAt(origin))).toBe(true)
  expect(wasNotSent(new GatewayError('RATE_LIMITED', 'Too many requests.'))).toBe(false)
})

test('transient errors are retried until the time is up, others never', async () => {
  const failing = async (error: GatewayError, patienceMs: number) => {
    const pauses: (number | null)[] = []
    const signal = new AbortController().signal
    const onFailure = (_: GatewayError, pauseMs: number | null) => pauses.push(pauseMs)
    const attempt = askAgain(() => Promise.reject(error), { patienceMs, signal, onFailure })
    await expect(attempt).rejects.toBe(error)
    return pauses
  }
  expect(await failing(new GatewayError('UNAVAILABLE', 'Later.'), 600)).toEqual([500, null])
  expect(await failing(new GatewayError('UNAVAILABLE', 'Later.', { retryAfter: 5 }), 600)).toEqual([null])
  expect(await failing(new GatewayError('PRICE_MISMATCH', 'Never.'), 600)).toEqual([])
})
