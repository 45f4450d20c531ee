import { GatewayError } from '@farebox/client/errors'
import { expect, test } from 'vitest'
import { askAgain } from './ask-again.ts'

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
