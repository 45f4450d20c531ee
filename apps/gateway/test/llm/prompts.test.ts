import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LlmMarket, openLlmMarket, registerModel } from '../kit/llm/llm-market.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { invoke } from '../kit/world/world.ts'

let market: LlmMarket
let model: TestProvider
let plain: string
let knowing: string
beforeAll(async () => {
  market = await openLlmMarket()
  model = await startProvider()
  model.respondWith((_, response) =>
    sendJson(response, 200, {
      choices: [{ index: 0, message: { role: 'assistant', content: 'A ferry.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 900, completion_tokens: 4 },
    }),
  )
  const url = `${model.url}v1/chat/completions`
  plain = await registerModel(market, market.provider, { url, manifest: { agentToolName: 'seer' } })
  const manifest = { contextTokens: 100_000, mediaTokens: 500 }
  knowing = await registerModel(market, market.provider, { url, manifest })
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await market.stop()
  await model.stop()
})

const image = `data:image/jpeg;base64,${Buffer.alloc(700 * 1_024, 99).toString('base64')}`
const asking = (url: string) => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  max_tokens: 40,
})
/** Micro-USDC that the market's model holds for tokens, with its buffer. */
const holdOf = (input: number) => (Math.ceil((input * 1.5 + 40 * 6) * 1.2) / 1e6).toFixed(6)

test('an image of 700 KB counts as many tokens as the service states, in every API', async () => {
  const body = asking(image)
  const text = JSON.stringify(body).length - image.length
  const answer = await invoke(market, market.credential, { serviceId: plain, payload: { body } })
  expect(answer.body).toMatchObject({
    status: 'SUCCEEDED',
    gateway: { holdUsdc: holdOf(Math.ceil(text / 3) + 16 + 2_000) },
  })
  const other = await invoke(market, market.credential, { serviceId: knowing, payload: { body } })
  expect(other.body).toMatchObject({ gateway: { holdUsdc: holdOf(Math.ceil(text / 3) + 16 + 500) } })

  const response = await fetch(`${market.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${market.credential.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'seer', ...body }),
  })
  expect([response.status, await response.json()]).toMatchObject([200, { choices: [{}] }])
  expect(model.calls.at(-1)?.body).toContain(image)
})

test('refuses content by reference before anything is held, unless the service states its tokens', async () => {
  const calls = model.calls.length
  const body = asking('https://images.test/large.png')
  const refused = await invoke(market, market.credential, { serviceId: plain, payload: { body } })
  expect(refused).toMatchObject({
    status: 400,
    body: {
      code: 'INVALID_PAYLOAD',
      detail: { issues: [{ path: 'payload.body.messages.0.content.0.image_url.url' }] },
    },
  })
  expect(model.calls.length).toBe(calls)
  const taken = await invoke(market, market.credential, { serviceId: knowing, payload: { body } })
  expect(taken.body).toMatchObject({ status: 'SUCCEEDED', gateway: { holdUsdc: holdOf(100_000) } })
})

test('refuses a background response by name: its end could not be reported', async () => {
  const body = { input: 'Hi', background: true }
  const refused = await invoke(market, market.credential, { serviceId: plain, payload: { body } })
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'INVALID_PAYLOAD', detail: { issues: [{ path: 'payload.body.background' }] } },
  })
})
