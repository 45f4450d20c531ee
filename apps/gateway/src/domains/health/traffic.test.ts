import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Pair, PRICE_USDC, startPair } from '../../../test/faults/pair.ts'
import { sendJson } from '../../../test/provider.ts'
import { get, invoke, mint, ownerWith, type Person, register, until } from '../../../test/world.ts'

const FAILURES_TO_OPEN = 5

let pair: Pair
let owner: Person
/** Two owners' agents: what fails for one alone may be its own fault. */
let agents: { token: string }[]
let calls = 0
beforeAll(async () => {
  pair = await startPair({ PROBE_INTERVAL_SECONDS: '3600' })
  owner = await ownerWith(pair.one, '20')
  agents = [await mint(pair.one, owner), await mint(pair.one, await ownerWith(pair.one, '20'))]
})
afterAll(() => pair.stop())
afterEach(() => pair.one.assertBooks())

const offer = (provider: Person = pair.provider) =>
  register(pair.one, provider, { targets: [pair.upstream.url], priceUsdc: PRICE_USDC })
/** By default the two owners call in turn. */
function call(turn: number, serviceId: string, caller?: number) {
  calls += 1
  const agent = agents[caller ?? calls % 2]
  if (agent === undefined) throw new RangeError('There are two owners.')
  return invoke(pair.gateway(turn), agent, {
    ...{ serviceId, costUsdc: PRICE_USDC, payload: { body: { q: 1 } } },
  })
}
const isOffered = async (turn: number, serviceId: string) =>
  JSON.stringify((await get(pair.gateway(turn), '/services/discover?limit=100')).body).includes(serviceId)
const failing = () => pair.upstream.respondWith((_, response) => sendJson(response, 500, {}))
const working = () => pair.upstream.respondWith((_, response) => sendJson(response, 200, { done: true }))

test('a target that fails live calls is unavailable at every gateway until a probe says otherwise', async () => {
  const service = await offer()
  working()
  expect((await call(1, service)).status).toBe(200)
  failing()
  for (let count = 0; count < FAILURES_TO_OPEN; count += 1) {
    expect((await call(0, service)).body.detail).toMatchObject({ reason: 'status', upstreamStatus: 500 })
  }
  for (const turn of [0, 1]) {
    await until('it is not offered', async () => !(await isOffered(turn, service)))
    await until('it is not called', async () => {
      const { body } = await call(turn, service)
      return body.detail.reason === 'no_healthy_target'
    })
  }
  const shown = await get<{ service: { health: object } }>(pair.two, `/services/${service}`, {
    token: pair.provider.token,
  })
  expect(shown.body.service).toMatchObject({
    runtimeAvailable: false,
    health: { overallStatus: 'unhealthy', healthyTargets: 0 },
  })
  const history = await get<{ targets: { history: object[] }[] }>(
    pair.two,
    `/services/${service}/health/history?limitPerTarget=1`,
    { token: pair.provider.token },
  )
  expect(history.body.targets[0]?.history).toMatchObject([{ status: 'unhealthy', source: 'traffic' }])
  const [due] = await pair.one.sql<{ seconds: number }>(
    `select extract(epoch from next_probe_at - now())::float8 as seconds from service_targets where service_id = $1`,
    [service],
  )
  expect(due?.seconds).toBeGreaterThan(0)
  expect(due?.seconds).toBeLessThanOrEqual(10)

  // The probe finds the target well, and the other gateway, whose breaker never opened, calls again at once.
  working()
  await pair.one.sql('update service_targets set next_probe_at = now() where service_id = $1', [service])
  await until('it is offered again', () => isOffered(0, service))
  await until('it is called again', async () => (await call(1, service)).status === 200)
  const standings = await pair.one.sql('select is_up from service_standings where service_id = $1', [service])
  expect(standings).toEqual([{ is_up: true }])
})

test('a service that fails for one owner only stays open to all, and is probed at once', async () => {
  const service = await offer()
  failing()
  for (let count = 0; count < 3 * FAILURES_TO_OPEN; count += 1) {
    expect((await call(0, service, 0)).body.detail).toMatchObject({ reason: 'status', upstreamStatus: 500 })
  }
  const probes = () =>
    pair.one.sql("select 1 from health_probes where service_id = $1 and source = 'probe' and is_healthy", [
      service,
    ])
  await until('it is probed again, and found well', async () => (await probes()).length >= 2)
  working()
  for (const turn of [0, 1]) {
    expect(await isOffered(turn, service)).toBe(true)
    expect((await call(turn, service, 1)).status).toBe(200)
  }
})

test('what one provider makes of a URL does not take the service of another down', async () => {
  const mine = await offer()
  const theirs = await offer(await ownerWith(pair.one, '1'))
  failing()
  for (let count = 0; count < FAILURES_TO_OPEN; count += 1) await call(0, theirs)
  await until('theirs is not offered', async () => !(await isOffered(1, theirs)))
  working()
  for (const turn of [0, 1]) {
    expect(await isOffered(turn, mine)).toBe(true)
    expect((await call(turn, mine)).status).toBe(200)
  }
})
