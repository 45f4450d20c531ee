import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerOrCut } from '../kit/network/http.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { createAftermaths, expectCharged, expectInterrupted, type Scene, startScene } from './scene.ts'

const DRAIN_SECONDS = 2
/** From the end of the drain to the end of the process. */
const SLACK_MS = 2_000

let scene: Scene
const aftermaths = createAftermaths(() => scene.on)

beforeAll(async () => {
  scene = await startScene({ DRAIN_SECONDS: String(DRAIN_SECONDS) })
})
afterAll(() => scene.stop())

const isReachable = () =>
  fetch(`${scene.on.url}/health`, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 200,
    () => false,
  )

test('failure 27: SIGTERM lets running calls end, takes no new ones, and exits 0', async () => {
  const payer = await scene.payer()
  const goOn = Promise.withResolvers<void>()
  scene.upstream.respondWith(async (_, response) => {
    await goOn.promise
    sendJson(response, 200, { done: true })
  })
  const running = ['k1', 'k2', 'k3'].map(key => scene.call(payer, key))
  await until('the provider has the requests', () => scene.upstream.calls.length === 3)
  const ended = scene.on.sigterm()
  await until('nobody is let in', async () => !(await isReachable()))
  expect(await answerOrCut(scene.call(payer, 'late'))).toBeNull()
  expect(scene.on.isAlive()).toBe(true)
  goOn.resolve()
  for (const { status, body } of await Promise.all(running)) {
    expect([status, body.status]).toEqual([200, 'SUCCEEDED'])
  }
  const { code, ms } = await ended
  expect(code).toBe(0)
  expect(ms).toBeLessThan(DRAIN_SECONDS * 1_000 + SLACK_MS)
  expect(await scene.charges(payer)).toBe(3)
  expect(await scene.on.sql('select 1 from gateway_instances')).toEqual([])
  await scene.on.assertBooks()
  await scene.on.restart()
})

test('failure 27: a call that outlives the drain is cut, exits 0 in time, and is released by the next start', async () => {
  const payer = await scene.payer()
  const before = scene.upstream.calls.length
  scene.upstream.respondWith(() => undefined)
  const call = answerOrCut(scene.call(payer, 'k'))
  await until('the provider has the request', () => scene.upstream.calls.length === before + 1)
  const { code, ms } = await scene.on.sigterm()
  expect(code).toBe(0)
  expect(ms).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1_000 - 50)
  expect(ms).toBeLessThan(DRAIN_SECONDS * 1_000 + SLACK_MS)
  expect(await call).toBeNull()
  await aftermaths.recover(() => expectInterrupted(scene, payer, 'k'))
})

test('failure 27: SIGTERM in the middle of a settlement waits for it', async () => {
  const payer = await scene.payer()
  const before = scene.upstream.calls.length
  scene.upstream.respondWith((_, response) => {
    void locked.promise.then(() => sendJson(response, 200, { done: true }))
  })
  const locked = Promise.withResolvers<void>()
  const call = scene.call(payer, 'k')
  await until('the provider has the request', () => scene.upstream.calls.length === before + 1)
  const lock = await scene.lock(payer)
  locked.resolve()
  await scene.untilBlocked(1)
  const ended = scene.on.sigterm()
  await until('nobody is let in', async () => !(await isReachable()))
  await lock.release()
  expect((await call).body.status).toBe('SUCCEEDED')
  expect((await ended).code).toBe(0)
  await aftermaths.recover(() => expectCharged(scene, payer, 'k'))
})
