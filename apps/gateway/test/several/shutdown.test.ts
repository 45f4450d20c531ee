import { expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { startTestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'

const PAUSE_SECONDS = 500

test('a stopping gateway fails readiness while it still answers, and then closes its connections', async () => {
  const over = Promise.withResolvers<void>()
  const on = await startTestGateway({
    env: { STOP_PAUSE_SECONDS: String(PAUSE_SECONDS), DRAIN_SECONDS: String(PAUSE_SECONDS) },
    // The pause of the stop is as long as the test says.
    clock: {
      ...systemClock,
      pause: ms => (ms === PAUSE_SECONDS * 1_000 ? over.promise : systemClock.pause(ms)),
    },
  })
  expect((await send(on.url, '/ready')).status).toBe(200)
  const stopped = on.stop()
  await until('it is not ready', async () => (await send(on.url, '/ready')).status === 503)
  expect((await send(on.url, '/ready')).body).toMatchObject({
    code: 'UNAVAILABLE',
    detail: { stopping: true },
  })
  const { status, headers } = await send(on.url, '/api/v1/chain')
  expect([status, headers.connection]).toEqual([200, 'close'])
  over.resolve()
  await stopped
  await expect(send(on.url, '/health')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
