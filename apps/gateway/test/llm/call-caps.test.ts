import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { get, send } from '../kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { invoke, mint, register } from '../kit/world/world.ts'

const PROMPT = { model: 'any', messages: [{ role: 'user', content: 'Say something short.' }] }

let market: LlmMarket
let target: TestProvider
let fixed: string
let names: Readonly<Record<'chat' | 'messages', string>>

beforeAll(async () => {
  ;[market, target] = await Promise.all([openLlmMarket(), startProvider()])
  target.respondWith((_, response) => sendJson(response, 200, {}))
  fixed = await register(market, market.provider, { targets: [target.url], priceUsdc: '0.010000' })
  const rows = await market.sql<{ id: string; name: string }>(
    'select id, agent_tool_name as name from services',
  )
  const nameOf = (id: string) => rows.find(row => row.id === id)?.name ?? ''
  names = { chat: nameOf(market.chat), messages: nameOf(market.messages) }
})
afterAll(async () => {
  await market.assertBooks()
  await market.stop()
  await target.stop()
})

const callFixed = (credential: { token: string }) =>
  invoke(market, credential, { serviceId: fixed, costUsdc: '0.01', payload: { body: {} } })
const callModel = (credential: { token: string }) =>
  invoke(market, credential, { serviceId: market.chat, payload: { body: PROMPT } })

describe('maxCostPerCallUsdc of a credential', () => {
  test('is listed, changed by the quota, and refuses a dearer fixed price like a budget', async () => {
    const credential = await mint(market, market.owner, { maxCostPerCallUsdc: 0.009999 })
    expect((await callFixed(credential)).body).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { limit: 'credential_per_call', remainingUsdc: '0.009999', requiredUsdc: '0.010000' },
    })
    const path = `/credentials/agent/${credential.id}`
    const change = (maxCostPerCallUsdc: string | null) =>
      send(market.url, `/api/v1${path}/quota`, {
        method: 'PATCH',
        token: market.owner.token,
        body: { maxCostPerCallUsdc },
      })
    expect((await change('0.01')).body).toMatchObject({ credential: { maxCostPerCallUsdc: '0.010000' } })
    expect((await callFixed(credential)).body).toMatchObject({ chargedUsdc: '0.010000' })
    expect((await change(null)).body).toMatchObject({ credential: { maxCostPerCallUsdc: null } })
    const listed = await get<{ credentials: { id: string }[] }>(market, '/credentials/agent/list', {
      token: market.owner.token,
    })
    const shown = listed.body.credentials.find(({ id }) => id === credential.id)
    expect(shown).toMatchObject({ maxCostPerCallUsdc: null })
  })

  test('bounds a model within seconds after a change at another gateway', async () => {
    const credential = await mint(market, market.owner)
    await callModel(credential) // now this gateway remembers the credential
    const cap = `update credentials set max_cost_per_call = 200 where id = '${credential.id}'`
    await market.sql(cap)
    await until('the cap bounds a call', async () => {
      const { body } = await callModel(credential)
      return (body as { gateway?: { holdUsdc: string } }).gateway?.holdUsdc === '0.000200'
    })
  })

  test('bounds the output of a model to what it covers, and refuses when that is less than a token', async () => {
    const credential = await mint(market, market.owner, { maxCostPerCallUsdc: '0.000200' })
    const { body } = await callModel(credential)
    expect(body).toMatchObject({ gateway: { holdUsdc: '0.000200', preAuthMode: 'auto' } })
    expect(Number(market.model.call().body?.max_tokens)).toBeLessThan(256)
    const seen = market.model.calls.length

    const poor = await mint(market, market.owner, { maxCostPerCallUsdc: '0.000001' })
    expect((await callModel(poor)).body).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { limit: 'credential_per_call', remainingUsdc: '0.000001' },
    })
    expect(market.model.calls.length).toBe(seen)
  })

  test('applies at every gateway as soon as it is lowered, despite cached credentials', async () => {
    const credential = await mint(market, market.owner)
    expect((await callFixed(credential)).status).toBe(200)
    await market.sql('update credentials set max_cost_per_call = 9999 where id = $1', [credential.id])
    expect((await callFixed(credential)).body).toMatchObject({ detail: { limit: 'credential_per_call' } })
  })
})

describe('the header Farebox-Max-Cost-Usdc', () => {
  const ask = (path: string, model: string, cap: string) =>
    send(market.url, path, {
      method: 'POST',
      body: path === '/v1/responses' ? { model, input: 'Hi.' } : { ...PROMPT, model, max_tokens: 250 },
      headers: { authorization: `Bearer ${market.credential.token}`, 'farebox-max-cost-usdc': cap },
    })

  test.each([
    ['/v1/chat/completions', 'chat'],
    ['/v1/messages', 'messages'],
  ] as const)('caps a call of %s like maxCostUsdc', async (path, name) => {
    const { status, headers } = await ask(path, names[name], '0.000200')
    expect([status, headers['farebox-hold-usdc']]).toEqual([200, '0.000200'])
    expect(Number(market.model.call().body?.max_tokens)).toBeLessThan(250)
  })

  test.each([
    ['/v1/chat/completions', 'chat'],
    ['/v1/responses', 'chat'],
    ['/v1/messages', 'messages'],
  ] as const)(
    'that does not cover prompt and one token is 422 at %s, with the required amount',
    async (path, name) => {
      const answer = await ask(path, names[name], '0.000001')
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        422,
        expect.stringMatching(/"requiredHoldUsdc":"0\.0000\d\d"/),
      ])
    },
  )

  test.each([
    ['/v1/chat/completions', 'chat', { error: { type: 'invalid_request_error' } }],
    ['/v1/messages', 'messages', { type: 'error', error: { type: 'invalid_request_error' } }],
  ] as const)('that is not an amount is 400 in the shape of %s', async (path, name, shape) => {
    for (const cap of ['', 'much', '-1', '1e3', '0.0000001', '1, 2']) {
      const answer = await ask(path, names[name], cap)
      expect(answer).toMatchObject({ status: 400, body: shape })
      expect(JSON.stringify(answer.body)).toContain('Farebox-Max-Cost-Usdc')
    }
  })
})
