import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { get, send } from '../kit/network/http.ts'
import { callTool, connectMcp } from '../kit/network/mcp-client.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { arrive, endNotices, invoke, type Person, register } from '../kit/world/world.ts'

const LOW = '0.000001'
const HIGH = '9.500000'

let one: LlmMarket
let other: TestGateway
let both: readonly { readonly url: string }[]
let target: TestProvider
let seller: Person
let clients: readonly Client[]

beforeAll(async () => {
  ;[one, target] = await Promise.all([openLlmMarket(), startProvider()])
  other = await startTestGateway({ share: one })
  both = [one, other]
  target.respondWith((_, response) => sendJson(response, 200, {}))
  seller = await arrive(one)
  clients = await Promise.all(both.map(on => connectMcp(on, one.credential)))
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await one.assertBooks()
  await other.stop()
  await one.stop()
  await target.stop()
})

type Listed = { readonly services: readonly { readonly serviceId: string }[] }
const inList = ({ body }: { readonly body: Listed }) =>
  body.services.find(({ serviceId }) => serviceId === one.chat)

async function change(serviceId: string, person: Person, body: Record<string, unknown>): Promise<void> {
  const sent = { method: 'PUT', token: person.token, body } as const
  expect((await send(one.url, `/api/v1/services/${serviceId}`, sent)).status).toBe(200)
}
const chargedBy = async (client: Client, tool: string) =>
  (await callTool(client, tool))._meta?.['farebox/chargedUsdc']

test('a tool offered for a millionth keeps that price at every gateway for the whole notice of an increase', async () => {
  const manifest = { agentToolName: 'bait' }
  const serviceId = await register(one, seller, { targets: [target.url], priceUsdc: LOW, manifest })
  await change(serviceId, seller, { pricing: { currency: 'USDC', amount: HIGH } })

  for (const client of clients) {
    const { tools } = await client.listTools({ _meta: { 'farebox/query': 'bait' } })
    const tool = tools.find(({ name }) => name === 'bait')
    expect(tool?._meta).toMatchObject({ 'farebox/pricing': { amount: LOW } })
    expect(tool?.description).toContain(LOW)
    expect(await chargedBy(client, 'bait')).toBe(LOW)
  }
  // Callers who state a price pay the shown one at once.
  const call = (costUsdc: string) =>
    invoke(other, one.credential, { serviceId, costUsdc, payload: { body: {} } })
  expect((await call(LOW)).body).toMatchObject({
    code: 'PRICE_MISMATCH',
    detail: { expectedPriceUsdc: LOW, currentPriceUsdc: HIGH },
  })
  expect((await call(HIGH)).body).toMatchObject({ chargedUsdc: HIGH })

  await endNotices(one)
  for (const client of clients) expect(await chargedBy(client, 'bait')).toBe(HIGH)
})

test('a model whose prices rise 50,000 times is shown and paid at the old ones until then, through every API', async () => {
  const raised = { inputPricePer1MTokensUsdc: '5000.000000', outputPricePer1MTokensUsdc: '10000.000000' }
  const old = { inputPricePer1MTokensUsdc: '1.500000', outputPricePer1MTokensUsdc: '6.000000' }
  await change(one.chat, one.provider, {
    ...raised,
    defaultMaxOutputTokens: 100_000,
    maxAutoHoldUsdc: '1000',
    holdBufferMultiplier: 10,
  })
  const messages = [{ role: 'user', content: 'Hello.' }]
  const [{ agent_tool_name: agentToolName = '' } = {}] = await one.sql<{ agent_tool_name: string }>(
    `select agent_tool_name from services where id = $1`,
    [one.chat],
  )
  for (const on of both) {
    const whole = await invoke(on, one.credential, {
      serviceId: one.chat,
      payload: { body: { model: 'any', messages } },
    })
    expect(whole.body).toMatchObject({ status: 'SUCCEEDED' })
    const { input = 0, output = 0 } = one.model.call().tokens ?? {}
    const cost = Math.ceil(input * 1.5 + output * 6)
    expect(Math.round(Number(whole.body.chargedUsdc) * 1_000_000)).toBe(cost)
    expect(whole.body).toMatchObject({ gateway: { holdUsdc: expect.stringMatching(/^0\.00[0-3]/) } })
    expect(one.model.call().body).toMatchObject({ max_tokens: 256 })
    const chat = await send(on.url, '/v1/chat/completions', {
      method: 'POST',
      body: { model: agentToolName, messages },
      headers: { authorization: `Bearer ${one.credential.token}` },
    })
    expect([chat.status, Number(chat.headers['farebox-charged-usdc'])]).toEqual([200, cost / 1_000_000])
    const shown = await Promise.all([
      get(on, `/services/${one.chat}`).then(({ body }) => body.service),
      get(on, `/market/services/${one.chat}`).then(({ body }) => body.service),
      send<Listed>(on.url, `/api/v1/market/services?q=${agentToolName}`).then(inList),
      send<Listed>(on.url, `/marketplace/registry.json?q=${agentToolName}`).then(inList),
    ])
    for (const service of shown) {
      expect(service).toMatchObject({ ...old, defaultMaxOutputTokens: 256, scheduledPricing: raised })
    }
  }

  await endNotices(one)
  const dear = await invoke(other, one.credential, {
    serviceId: one.chat,
    payload: { body: { model: 'any', messages, max_tokens: 1 } },
  })
  expect(Number(dear.body.chargedUsdc)).toBeGreaterThan(0.01)
})
