import type { Traffic } from '@farebox/wire/traffic'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { get } from '../../../test/kit/network/http.ts'
import { sendJson, startProvider } from '../../../test/kit/provider/provider.ts'
import { until } from '../../../test/kit/until.ts'
import { type SoldService, sellService } from '../../../test/kit/world/sold-service.ts'
import { arrive, invoke, mint, ownerWith, register } from '../../../test/kit/world/world.ts'

const HOUR_MS = 3_600_000

let on: TestGateway
let sold: SoldService
let agent: { token: string }
beforeAll(async () => {
  on = await startTestGateway()
  sold = await sellService(on)
  agent = await mint(on, await ownerWith(on, '10'))
})
afterEach(() => on.assertBooks())
afterAll(async () => {
  await on.stop()
  await sold.upstream.stop()
})

const read = (query = '', person = sold.provider) =>
  get<Traffic & { readonly code?: string }>(on, `/providers/traffic${query}`, { token: person.token })

test('counts calls by fault with the errors that callers received, and earnings of successful calls only', async () => {
  const { upstream } = sold
  await sold.call(agent)
  await sold.call(agent)
  upstream.respondWith((_, response) => sendJson(response, 503, { error: 'full "reason":"faked" \u0000' }))
  await sold.call(agent)
  upstream.respondWith((_, response) => sendJson(response, 429, { error: 'slow down' }))
  await sold.call(agent)
  upstream.respondWith((_, response) => sendJson(response, 404, { error: 'no such city' }))
  const refused = await sold.call(agent)
  upstream.respondWith((_, response) => response.destroy())
  await sold.call(agent)

  const { status, body } = await read()
  expect(status).toBe(200)
  expect(body.total).toMatchObject({
    calls: 6,
    succeeded: 2,
    open: 0,
    providerFaults: 3,
    callerFaults: 1,
    otherFaults: 0,
    earnedUsdc: '0.020000',
    promotionalUsdc: '0.000000',
  })
  expect(body.total.latencyMs?.p99).toBeGreaterThanOrEqual(body.total.latencyMs?.p50 ?? Infinity)
  expect(body.byService).toMatchObject([{ serviceId: sold.service, calls: 6, providerFaults: 3 }])
  const got = body.failures.map(({ fault, reason, upstreamStatus }) => [fault, reason, upstreamStatus])
  expect(got).toContainEqual(['provider', 'status', 503])
  expect(got).toContainEqual(['provider', 'status', 429])
  expect(body.failures.find(({ upstreamStatus }) => upstreamStatus === 404)).toMatchObject({
    fault: 'caller',
    code: 'UPSTREAM_ERROR',
    httpStatus: refused.status,
    message: refused.body.detail.message,
    upstreamBody: expect.stringContaining('no such city'),
    calls: 1,
  })
  expect(body.countedFrom).toBeNull()
  expect(JSON.stringify(body)).not.toContain('cred_')
  expect((await read('', await arrive(on))).body.total.calls).toBe(0)
})

test('counts attempts by target, so that a call that fails over counts at both', async () => {
  const [dead, live] = await Promise.all([startProvider(), startProvider()])
  const targets = [
    { url: dead.url, weight: 1_000 },
    { url: live.url, weight: 0.001 },
  ]
  const person = await arrive(on)
  const service = await register(on, person, { targets: [], priceUsdc: '0.02', invoke: { targets } })
  await dead.stop()
  const body = { serviceId: service, costUsdc: '0.02', payload: { body: {} } }
  expect(await invoke(on, agent, body)).toMatchObject({ status: 200 })
  await until('the attempts are counted', async () => (await read('', person)).body.byTarget.length === 2)
  const { byTarget, total } = (await read('', person)).body
  const of = (url: string) => byTarget.find(each => each.url === url)
  expect(of(dead.url)).toMatchObject({ serviceId: service, calls: 1, providerFaults: 1, latencyMs: null })
  expect(of(live.url)).toMatchObject({ calls: 1, succeeded: 1, earnedUsdc: total.earnedUsdc })
  expect((await read()).body.byTarget.map(({ calls }) => calls)).toEqual([6])
  await live.stop()
})

test('counts calls by wallet, those with the most first, without naming them', async () => {
  const person = await arrive(on)
  const [often, once] = [await ownerWith(on, '10'), await ownerWith(on, '10')]
  const service = await register(on, person, { targets: [sold.upstream.url], priceUsdc: '0.01' })
  const body = { serviceId: service, costUsdc: '0.01', payload: { body: {} } }
  sold.upstream.respondWith((_, response) => sendJson(response, 200, {}))
  await invoke(on, await mint(on, once), body)
  const [first, second] = [await mint(on, often), await mint(on, often)]
  await invoke(on, first, body)
  sold.upstream.respondWith((_, response) => sendJson(response, 404, {}))
  await invoke(on, second, body)

  const traffic = (await read('', person)).body
  expect(traffic.total).toMatchObject({ calls: 3, callers: 2 })
  expect(traffic.byService).toMatchObject([{ callers: 2 }])
  expect(traffic.byCaller).toEqual([
    { calls: 2, succeeded: 1, earnedUsdc: '0.010000', lastAt: expect.any(String) },
    { calls: 1, succeeded: 1, earnedUsdc: '0.010000', lastAt: expect.any(String) },
  ])
  expect(JSON.stringify(traffic).toLowerCase()).not.toContain(often.account.address.toLowerCase())
  expect((await read('', await arrive(on))).body.byCaller).toEqual([])
})

test('returns every bucket of the period at the requested width, including empty ones', async () => {
  const to = new Date().toISOString()
  const from = new Date(Date.now() - 3 * HOUR_MS).toISOString()
  const hours = (await read(`?from=${from}&to=${to}&bucket=hour`)).body
  expect(hours.series.length).toBeGreaterThanOrEqual(3)
  const starts = hours.series.map(({ start }) => Date.parse(start))
  expect(starts.slice(1).map((start, index) => start - (starts[index] ?? 0))).toEqual(
    starts.slice(1).map(() => HOUR_MS),
  )
  expect(hours.series[0]).toMatchObject({ calls: 0, latencyMs: null, earnedUsdc: '0.000000' })
  expect(hours.series.reduce((sum, { calls }) => sum + calls, 0)).toBe(hours.total.calls)
  expect((await read(`?from=${from}&to=${to}&bucket=minute`)).body.series.length).toBeGreaterThanOrEqual(180)
})

test('counts the calls of one service by id or tool name, and none for an unknown service', async () => {
  const targets = [sold.upstream.url]
  const manifest = { agentToolName: 'second' }
  await register(on, sold.provider, { targets, priceUsdc: '0.5', manifest })
  expect((await read('?serviceId=second')).body.total.calls).toBe(0)
  expect((await read(`?serviceId=${sold.service}`)).body.total.calls).toBe(6)
  expect((await read('?serviceId=unknown')).body.total.calls).toBe(0)
})

test.each([
  ['a period that ends before it begins', 'from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z'],
  ['more buckets than are returned', 'from=2026-01-01T00:00:00Z&to=2026-11-01T00:00:00Z&bucket=minute'],
  ['a year that the calendar lacks', 'from=0000-01-01T00:00:00Z&bucket=week'],
])('rejects %s', async (_, query) => {
  expect(await read(`?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
})
