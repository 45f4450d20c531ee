import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Pair, startPair } from '../../../test/kit/gateway/gateway-pair.ts'
import { get } from '../../../test/kit/network/http.ts'
import { sendJson } from '../../../test/kit/provider/provider.ts'
import { until } from '../../../test/kit/until.ts'
import { PRICE_USDC } from '../../../test/kit/world/sold-service.ts'
import { invoke, mint, ownerWith, type Person, register } from '../../../test/kit/world/world.ts'

/** Equals the limit of the circuit breaker. */
const FAILURES_MAX = 5

let pair: Pair
let owner: Person
let agent: { token: string }
beforeAll(async () => {
  pair = await startPair({ PROBE_INTERVAL_SECONDS: '3600' })
  owner = await ownerWith(pair.one, '20')
  agent = await mint(pair.one, owner)
})
afterAll(() => pair.stop())
afterEach(() => pair.one.assertBooks())

const offer = (provider: Person = pair.provider) =>
  register(pair.one, provider, { targets: [pair.upstream.url], priceUsdc: PRICE_USDC })
const invokeAt = (turn: number, agent: { token: string }, serviceId: string, body: object = { q: 1 }) =>
  invoke(pair.gateway(turn), agent, { serviceId, costUsdc: PRICE_USDC, payload: { body } })
/** Calls a service with the owner's agent. */
const call = (turn: number, serviceId: string, body?: object) => invokeAt(turn, agent, serviceId, body)
const isOffered = async (turn: number, serviceId: string) =>
  JSON.stringify((await get(pair.gateway(turn), '/services/discover?limit=100')).body).includes(serviceId)
/** Body for which calls fail. */
const BAD = { q: 'bad' }
const failing = () =>
  pair.upstream.respondWith((seen, response) => {
    const isBad = seen.body.includes('bad')
    sendJson(response, isBad ? 500 : 200, { done: !isBad })
  })
const probesOf = (service: string, isHealthy: boolean) =>
  pair.one.sql('select 1 from health_probes where service_id = $1 and is_healthy = $2', [service, isHealthy])

test('calls that fail on purpose pause their own owners only, however many wallets make them', async () => {
  const service = await offer()
  const [innocent, other] = [
    await mint(pair.one, await ownerWith(pair.one, '5')),
    await mint(pair.one, await ownerWith(pair.one, '5')),
  ]
  failing()
  for (let count = 0; count < 2 * FAILURES_MAX; count += 1) {
    for (const attacker of [agent, other]) {
      const { detail } = (await invokeAt(0, attacker, service, BAD)).body
      expect(detail.reason).toBe(count < FAILURES_MAX ? 'status' : 'no_healthy_target')
    }
  }
  const paused = await call(0, service)
  expect(paused.body).toMatchObject({
    message: expect.stringContaining('its calls are refused for 10 seconds'),
    detail: { reason: 'no_healthy_target', retryAfterSeconds: 10 },
  })
  expect(paused.headers['retry-after']).toBe('10')
  // Checked at both gateways, before and after the probe that these calls trigger.
  const isServed = async () => {
    for (const turn of [0, 1]) {
      expect((await invokeAt(turn, innocent, service)).status).toBe(200)
      expect(await isOffered(turn, service)).toBe(true)
    }
  }
  await isServed()
  await until('it is probed, and found well', async () => (await probesOf(service, true)).length >= 2)
  await isServed()
  expect(await probesOf(service, false)).toEqual([])
  const ratings = () =>
    pair.one.sql<{ good: string; bad: string }>(
      'select sum(rated_good)::int as good, sum(rated_bad)::int as bad from service_calls where service_id = $1',
      [service],
    )
  await until('the good calls are counted', async () => Number((await ratings())[0]?.good) === 4)
  // Calls that were refused in a pause say nothing about the provider.
  expect(await ratings()).toEqual([{ good: 4, bad: 2 * FAILURES_MAX }])
})

test('a target that fails live calls and the probe they trigger is unavailable at every gateway', async () => {
  const service = await offer()
  failing()
  expect((await call(1, service)).status).toBe(200)
  pair.upstream.answerProbes(503)
  for (let count = 0; count < FAILURES_MAX; count += 1) {
    expect((await call(0, service, BAD)).body.detail).toMatchObject({ reason: 'status', upstreamStatus: 500 })
  }
  const innocent = await mint(pair.one, await ownerWith(pair.one, '5'))
  for (const turn of [0, 1]) {
    await until('it is not offered', async () => !(await isOffered(turn, service)))
    await until('it is not called', async () => {
      const { body } = await invokeAt(turn, innocent, service)
      return body.detail?.reason === 'no_healthy_target'
    })
  }
  const history = await get<{ targets: { history: object[] }[] }>(
    pair.two,
    `/services/${service}/health/history?limitPerTarget=1`,
    { token: pair.provider.token },
  )
  expect(history.body.targets[0]?.history).toMatchObject([{ status: 'unhealthy', source: 'probe' }])

  pair.upstream.answerProbes(200)
  await pair.one.sql('update service_targets set next_probe_at = now() where service_id = $1', [service])
  await until('it is offered again', () => isOffered(0, service))
  for (const turn of [0, 1]) {
    await until('it is called again', async () => (await invokeAt(turn, innocent, service)).status === 200)
  }
})

test("one provider's results for a URL do not take down another's service", async () => {
  const mine = await offer()
  const theirs = await offer(await ownerWith(pair.one, '1'))
  failing()
  for (let count = 0; count < FAILURES_MAX; count += 1) await call(0, theirs, BAD)
  expect((await call(0, theirs)).body.detail).toMatchObject({ reason: 'no_healthy_target' })
  for (const turn of [0, 1]) {
    expect(await isOffered(turn, mine)).toBe(true)
    expect((await call(turn, mine)).status).toBe(200)
  }
})
