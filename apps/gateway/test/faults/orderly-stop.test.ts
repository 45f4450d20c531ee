import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerOrCut } from '../kit/network/http.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { createAftermaths, expectCharged, expectInterrupted, type Fixture, startFixture } from './fixture.ts'

const DRAIN_SECONDS = 2
/** From the end of the drain to the end of the process. */
const SLACK_MS = 10_000

let fixture: Fixture
const aftermaths = createAftermaths(() => fixture.on)

beforeAll(async () => {
  fixture = await startFixture({ DRAIN_SECONDS: String(DRAIN_SECONDS) })
})
afterAll(() => fixture.stop())

const isReachable = () =>
  fetch(`${fixture.on.url}/health`, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 200,
    () => false,
  )

test('failure 27: SIGTERM lets running calls end, accepts no new ones, and exits 0', async () => {
  const payer = await fixture.payer()
  const goOn = Promise.withResolvers<void>()
  fixture.upstream.respondWith(async (_, response) => {
    await goOn.promise
    sendJson(response, 200, { done: true })
  })
  const running = ['k1', 'k2', 'k3'].map(key => fixture.call(payer, key))
  await until('the provider has the requests', () => fixture.upstream.calls.length === 3)
  const ended = fixture.on.sigterm()
  await until('nobody is let in', async () => !(await isReachable()))
  expect(await answerOrCut(fixture.call(payer, 'late'))).toBeNull()
  expect(fixture.on.isAlive()).toBe(true)
  goOn.resolve()
  for (const { status, body } of await Promise.all(running)) {
    expect([status, body.status]).toEqual([200, 'SUCCEEDED'])
  }
  const { code, ms } = await ended
  expect(code).toBe(0)
  const lines = fixture.on.output().trim().split('\n')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { level: 'info', msg: `Farebox ready at ${fixture.on.url}`, time: expect.any(String) },
  ])
  expect(ms).toBeLessThan(DRAIN_SECONDS * 1_000 + SLACK_MS)
  expect(await fixture.charges(payer)).toBe(3)
  expect(await fixture.on.sql('select 1 from gateway_instances')).toEqual([])
  await fixture.on.assertBooks()
  await fixture.on.restart()
})

test('failure 27: a call that outlives the drain is released, its caller is sent the reason, and the gateway exits 0 in time', async () => {
  const payer = await fixture.payer()
  const before = fixture.upstream.calls.length
  fixture.upstream.respondWith(() => undefined)
  const call = answerOrCut(fixture.call(payer, 'k'))
  await until('the provider has the request', () => fixture.upstream.calls.length === before + 1)
  const { code, ms } = await fixture.on.sigterm()
  expect(code).toBe(0)
  expect(ms).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1_000 - 50)
  expect(ms).toBeLessThan(DRAIN_SECONDS * 1_000 + SLACK_MS)
  expect(await call).toMatchObject({ status: 503, body: { code: 'GATEWAY_INTERRUPTED' } })
  await aftermaths.recover(() => expectInterrupted(fixture, payer, 'k'))
})

test('failure 27: SIGTERM in the middle of a settlement waits for it', async () => {
  const payer = await fixture.payer()
  const before = fixture.upstream.calls.length
  fixture.upstream.respondWith((_, response) => {
    void locked.promise.then(() => sendJson(response, 200, { done: true }))
  })
  const locked = Promise.withResolvers<void>()
  const call = fixture.call(payer, 'k')
  await until('the provider has the request', () => fixture.upstream.calls.length === before + 1)
  const lock = await fixture.lock(payer)
  locked.resolve()
  await fixture.untilBlocked(1)
  const ended = fixture.on.sigterm()
  await until('nobody is let in', async () => !(await isReachable()))
  await lock.release()
  expect((await call).body.status).toBe('SUCCEEDED')
  expect((await ended).code).toBe(0)
  await aftermaths.recover(() => expectCharged(fixture, payer, 'k'))
})
