import type { MarketAnswer, MarketService, MarketStats } from '@farebox/wire/market'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../../test/kit/gateway/test-gateway.ts'
import { get, send } from '../../../../test/kit/network/http.ts'
import { startTarget, type TestTarget } from '../../../../test/kit/provider/test-target.ts'
import { until } from '../../../../test/kit/until.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../../../../test/kit/world/world.ts'
import { readTotals } from './market-store.ts'
import { recordCalls } from './record-calls.ts'

let on: TestGateway
let target: TestTarget
let provider: Person
/** By tool name. */
const ids: Record<string, string> = {}

const market = async (query: string) => (await get<MarketAnswer>(on, `/market/services?${query}`)).body
const names = async (query: string) =>
  (await market(query)).services.map(({ agentToolName }) => agentToolName)

beforeAll(async () => {
  ;[on, target] = await Promise.all([
    startTestGateway({ env: { PROBE_INTERVAL_SECONDS: '86400' } }),
    startTarget(),
  ])
  provider = await arrive(on)
  const offers = [
    ['dear', '0.5', ['data', 'maps']],
    ['cheap', '0.01', ['data']],
    ['model', '0', ['text']],
  ] as const
  for (const [agentToolName, priceUsdc, tags] of offers) {
    const about = { agentToolName, serviceName: `A ${agentToolName} one`, tags }
    const isModel = agentToolName === 'model'
    const prices = {
      inputPricePer1MTokensUsdc: '1',
      outputPricePer1MTokensUsdc: '2',
      contextTokens: 128_000,
    }
    ids[agentToolName] = await register(on, provider, {
      targets: [`${target.url}/${agentToolName}`],
      priceUsdc,
      manifest: isModel ? { ...about, serviceKind: 'llm', ...prices, pricing: null } : about,
      invoke: isModel ? {} : { request: { type: 'object' } },
    })
  }
  await until('all can be called', async () => (await market('')).pagination.total === 3)
})
afterAll(async () => {
  await target.stop()
  await on.stop()
})

test('searches, filters and sorts the market', async () => {
  expect(await names('')).toEqual(['model', 'cheap', 'dear'])
  expect(await names('q=cheap')).toEqual(['cheap'])
  expect(await names('tag=DATA&sort=lowest_price')).toEqual(['cheap', 'dear'])
  expect(await names('kind=llm')).toEqual(['model'])
  expect(await names('pageSize=2&page=2')).toEqual(['dear'])
  expect((await market('pageSize=2&page=2')).pagination).toEqual({ page: 2, pageSize: 2, total: 3 })
  expect((await get(on, '/market/services?sort=random')).body).toMatchObject({ code: 'INVALID_REQUEST' })
})

test.each([
  ['maxPricePerCallUsdc=0.009999', []],
  ['maxPricePerCallUsdc=0.01', ['cheap']],
  ['maxPricePerCallUsdc=0.5&sort=lowest_price', ['cheap', 'dear']],
  ['maxPricePerCallUsdc=0.5&q=one&tag=maps', ['dear']],
  ['maxPricePerCallUsdc=0.5&pageSize=1&page=2', ['dear']],
  ['maxPricePerCallUsdc=0.5&maxInputPricePer1M=1', []],
  ['maxInputPricePer1M=0.999999', []],
  ['maxInputPricePer1M=1', ['model']],
  ['maxOutputPricePer1M=1.5', []],
  ['maxOutputPricePer1M=2&maxInputPricePer1M=1', ['model']],
  ['minContextLength=128000&q=modle', ['model']],
  ['minContextLength=128001', []],
  ['minContextLength=0', ['model', 'cheap', 'dear']],
])('the market is narrowed by prices and context: %s finds %j', async (query, expected) => {
  expect(await names(query)).toEqual(expected)
})

test('rejects an invalid price or context, and counts an announced rise of a price already', async () => {
  for (const query of ['maxPricePerCallUsdc=-1', 'maxInputPricePer1M=1e3', 'minContextLength=8k'])
    expect((await get(on, `/market/services?${query}`)).body).toMatchObject({ code: 'INVALID_REQUEST' })
  const body = { inputPricePer1MTokensUsdc: '1.2' }
  const raised = await send(on.url, `/api/v1/services/${ids.model}`, {
    method: 'PUT',
    token: provider.token,
    body,
  })
  expect(raised.status).toBe(200)
  expect(await names('maxInputPricePer1M=1.1')).toEqual([])
  expect(await names('maxInputPricePer1M=1.2')).toEqual(['model'])
  // The provider states which tokens its cache wrote.
  const setCached = (cacheReadPricePer1M: string | null, cacheWritePricePer1M: string | null) =>
    send(on.url, `/api/v1/services/${ids.model}`, {
      method: 'PUT',
      token: provider.token,
      body: { cacheReadPricePer1M, cacheWritePricePer1M },
    })
  await setCached('0.1', '1.5')
  expect(await names('maxInputPricePer1M=1.499999')).toEqual([])
  expect(await names('maxInputPricePer1M=1.5')).toEqual(['model'])
  const { body: shown } = await get<Record<string, unknown>>(on, `/market/services/${ids.model}`)
  expect(JSON.stringify(shown)).toContain('"typicalPriceUsdc":"0.002500"')
  await setCached(null, null)
})

test('finds the services of one provider, whose wallet the page of a service shows', async () => {
  const other = await arrive(on)
  const [wallet, own] = [other.account.address, provider.account.address]
  await register(on, other, {
    targets: [`${target.url}/other`],
    priceUsdc: '1',
    manifest: { agentToolName: 'other' },
  })
  await until('it can be called', async () => (await market('q=other')).pagination.total === 1)
  const { body } = await get<{ service: MarketService }>(on, '/market/services/other')
  expect(body.service.providerAddress).toBe(wallet)
  for (const given of [wallet, wallet.toLowerCase()])
    expect(await names(`provider=${given}`)).toEqual(['other'])
  expect(await names(`provider=${own}`)).toEqual(['model', 'cheap', 'dear'])
  expect(await names(`provider=${own}&tag=maps`)).toEqual(['dear'])
  expect(await names(`provider=0x${'1'.repeat(40)}`)).toEqual([])
  expect(await names('provider=')).toHaveLength(4)
  for (const invalid of ['0x12', 'svc_1', `${wallet}0`])
    expect((await get(on, `/market/services?provider=${invalid}`)).body).toMatchObject({
      code: 'INVALID_REQUEST',
    })
  await on.sql('update services set suspended_at = now() where agent_tool_name = $1', ['other'])
})

test('lists its tags, the most used first', async () => {
  const { body } = await get(on, '/market/tags')
  expect(body.tags).toEqual([
    { tag: 'data', services: 2 },
    { tag: 'maps', services: 1 },
    { tag: 'text', services: 1 },
  ])
})

test('shows ratings of a service and totals of the market once calls are counted', async () => {
  const before = (await get<MarketStats>(on, '/market/stats')).body
  expect(before).toMatchObject({ services: 3, callsLast7Days: 0, medianOverheadMs: null })
  const owner = await ownerWith(on, '5')
  const credential = await mint(on, owner)
  for (let number = 0; number < 6; number++) {
    const body = { serviceId: ids.cheap, costUsdc: '0.01', payload: { body: { number } } }
    expect((await invoke(on, credential, body)).status).toBe(200)
  }
  await until('the calls are counted', async () => {
    const { body } = await get<{ service: MarketService }>(on, '/market/services/cheap')
    return body.service.successRate !== null && body.service.days.at(-1)?.calls === 6
  })
  const { body } = await get<{ service: MarketService }>(on, '/market/services/cheap')
  expect(body.service).toMatchObject({
    serviceId: ids.cheap,
    successRate: 1,
    typicalPriceUsdc: '0.010000',
    method: 'POST',
    request: { type: 'object' },
  })
  expect(body.service.days.map(({ calls }) => calls)).toEqual([...Array(29).fill(0), 6])
  expect(body.service.provider).toMatch(/^0x[0-9a-fA-F]{4}…[0-9a-fA-F]{4}$/)
  expect(Date.now() - Date.parse(body.service.createdAt)).toBeLessThan(600_000)
  expect(body.service).not.toHaveProperty('invoke')
  await until('the figures are new', async () => {
    const { callsLast7Days, medianOverheadMs } = (await get<MarketStats>(on, '/market/stats')).body
    return callsLast7Days === 6 && medianOverheadMs !== null && medianOverheadMs > 0
  })
})

test('shows the calls of 30 days for a service, and of seven in lists and totals', async () => {
  await on.sql(
    `insert into service_calls (service_id, day, good, bad, latency_ms)
    select $1, (now() at time zone 'utc')::date - age, 3, 1, 60 from unnest(array[7, 29, 30]) as age`,
    [ids.dear],
  )
  const { service } = (await get<{ service: MarketService }>(on, '/market/services/dear')).body
  expect(service.days).toHaveLength(30)
  expect(service.days.flatMap(({ calls }, index) => (calls > 0 ? index : []))).toEqual([0, 22])
  expect(service.days[0]).toMatchObject({ calls: 4, failed: 1, latencyMs: 20 })
  const { services } = (await get<{ services: MarketService[] }>(on, '/market/services?q=dear')).body
  expect(services.find(({ serviceId }) => serviceId === ids.dear)?.days.map(({ calls }) => calls)).toEqual(
    Array(7).fill(0),
  )
  expect((await readTotals(on.gateway.deps.db)).calls).toBe(6)
})

test('shows how many output tokens a second a model wrote, by the calls that it is rated by', async () => {
  const owner = await ownerWith(on, '5')
  const ratedAs = { owner: owner.account.address.toLowerCase(), price: 1_200_000n, outputPrice: 2_000_000n }
  const calls = {
    serviceId: String(ids.model),
    good: 6,
    bad: 2,
    latencyMs: 8_000,
    outputTokens: 300,
    ratedAs,
  }
  await recordCalls(on.gateway.deps, [calls])
  // Its provider's own calls, faster than possible.
  await recordCalls(on.gateway.deps, [
    { ...calls, outputTokens: 1e6, ratedAs: { ...ratedAs, owner: provider.account.address.toLowerCase() } },
  ])
  const { service } = (await get<{ service: MarketService }>(on, '/market/services/model')).body
  expect(service).toMatchObject({ latencyMs: 1_333, tokensPerSecond: 37.5 })
  expect(service.days.map(({ tokensPerSecond }) => tokensPerSecond)).toEqual([...Array(29).fill(null), 37.5])
  expect(service.days.at(-1)).toMatchObject({ calls: 16, failed: 4, latencyMs: 1_333 })
  const { services } = await market('kind=llm')
  expect(services).toMatchObject([{ agentToolName: 'model', tokensPerSecond: 37.5 }])
  const fixed = (await get<{ service: MarketService }>(on, '/market/services/cheap')).body.service
  expect(fixed.tokensPerSecond).toBeNull()
})

test('lists targets by number, with their probe results', async () => {
  const { body } = await get<{ targets: Record<string, unknown>[] }>(on, '/market/services/dear/health')
  expect(body.targets).toMatchObject([{ name: 'Target 1', share: 1, isHealthy: true }])
  expect(body.targets[0]?.history).toMatchObject([{ status: 'healthy', source: 'probe' }])
  expect(JSON.stringify(body)).not.toContain(target.url)
})

test.each(['', '/health'])('does not show a removed service%s', async rest => {
  await on.sql('update services set suspended_at = now() where id = $1', [ids.dear])
  for (const id of [ids.dear, 'nobody'])
    expect((await get(on, `/market/services/${id}${rest}`)).body).toMatchObject({ code: 'SERVICE_NOT_FOUND' })
  await on.sql('update services set suspended_at = null where id = $1', [ids.dear])
})

test('shows in registry and market whether a service is verified', async () => {
  const own = await startTarget()
  const proven = await arrive(on)
  own.prove({ status: 200, body: JSON.stringify({ providers: [proven.account.address] }) })
  const serviceId = await register(on, proven, { targets: [own.url], priceUsdc: '1' })
  try {
    for (const path of ['/marketplace/registry.json', '/api/v1/market/services?pageSize=100']) {
      const { body } = await send<{ services: { serviceId: string }[] }>(on.url, path)
      const verified = body.services.filter(service => 'targetVerified' in service && service.targetVerified)
      expect(verified, path).toMatchObject([{ serviceId }])
    }
  } finally {
    await own.stop()
    await on.sql('update services set suspended_at = now() where id = $1', [serviceId])
  }
})

test('limits requests per client', async () => {
  const strict = await startTestGateway({ share: on, env: { SEARCHES_PER_MINUTE: '1' } })
  const ask = (path: string) => send(strict.url, `/api/v1/market/${path}`)
  expect((await ask('services')).status).toBe(200)
  for (const path of ['services', 'tags', 'services/cheap', 'stats'])
    expect((await ask(path)).status).toBe(429)
  expect((await ask('services/cheap/health')).status).toBe(200)
  expect((await ask('services/cheap/health')).body).toMatchObject({ code: 'RATE_LIMITED' })
  await strict.stop()
})
