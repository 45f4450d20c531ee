import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  chatBody,
  invokeStream,
  type LlmMarket,
  openLlmMarket,
  registerModel,
} from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { startEvents } from '../kit/llm/raw-model.ts'
import { get } from '../kit/network/http.ts'
import { callTool, connectMcp, textOf } from '../kit/network/mcp-client.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { invoke, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.010000'
const KEY = 'sk-proj-Q7wErTy0pAsDfGhJkLzXcV'
/** The shortest piece of the key that would help anybody. */
const PIECE = 8

let market: LlmMarket
let upstream: TestProvider
let service: string
let model: string
beforeAll(async () => {
  market = await openLlmMarket()
  upstream = await startProvider()
  const upstreamHeaders = { authorization: `Bearer ${KEY}` }
  service = await register(market, market.provider, {
    targets: [upstream.url],
    priceUsdc: PRICE_USDC,
    manifest: { agentToolName: 'quoting', upstreamHeaders },
  })
  model = await registerModel(market, market.provider, {
    url: `${upstream.url}chat`,
    manifest: { agentToolName: 'quoting-model', upstreamHeaders },
  })
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await upstream.stop()
  await market.stop()
})

const expectClean = (text: string) => {
  expect(text).toContain('[redacted]')
  for (let at = 0; at + PIECE <= KEY.length; at += 1) expect(text).not.toContain(KEY.slice(at, at + PIECE))
}

const says = (key: string) =>
  `{"error":{"message":"Incorrect API key provided: ${key}.","code":"invalid_api_key"}}`

test.each([
  ['whole', KEY],
  ['masked', `${KEY.slice(0, 12)}**********${KEY.slice(-4)}`],
])(
  'a key that a provider quotes %s in its refusal reaches no caller through any API or replay',
  async (_, quoted) => {
    const payer = await newPayer(market)
    upstream.respondWith((call, response) => {
      expect(call.headers.authorization).toBe(`Bearer ${KEY}`)
      response.writeHead(401, { 'content-type': 'application/json' }).end(says(quoted))
    })
    const call = { serviceId: service, costUsdc: PRICE_USDC, idempotencyKey: 'k', payload: {} }
    for (const answer of [await invoke(market, payer, call), await invoke(market, payer, call)]) {
      expect(answer).toMatchObject({ status: 502, body: { detail: { upstreamStatus: 401 } } })
      expectClean(JSON.stringify(answer.body))
      const headers = { 'x-credential': payer.token }
      const { invocationId } = answer.body.detail as { invocationId: string }
      expectClean(JSON.stringify((await get(market, `/agent/invocations/${invocationId}`, { headers })).body))
    }
    const chat = await fetch(`${market.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${payer.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(chatBody({ model: 'quoting-model' })),
    })
    expectClean(await chat.text())
    const client = await connectMcp(market, payer)
    expectClean(textOf(await callTool(client, 'quoting')))
    await client.close()
  },
)

test('a key that a provider quotes in an error event reaches no caller and no replay', async () => {
  const payer = await newPayer(market)
  upstream.respondWith((_, response) => {
    startEvents(response)
    response.end(`event: error\ndata: ${says(KEY)}\n\n`)
  })
  const call = {
    serviceId: service,
    costUsdc: PRICE_USDC,
    idempotencyKey: 's',
    responseMode: 'stream',
    payload: {},
  }
  for (const answer of [await invokeStream(market, payer, call), await invokeStream(market, payer, call)])
    expectClean(answer.text)
  const body = chatBody({ stream: true })
  expectClean((await invokeStream(market, payer, { serviceId: model, payload: { body } })).text)
  const chat = await fetch(`${market.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(chatBody({ model: 'quoting-model', stream: true })),
  })
  expectClean(await chat.text())
})

test('a key in the URL of a target that a provider quotes reaches no caller, nor one in its path', async () => {
  const payer = await newPayer(market)
  upstream.respondWith(({ url }, response) => {
    response.writeHead(400, { 'content-type': 'text/plain' }).end(`Cannot POST ${url}`)
  })
  for (const path of [`send?api_key=${KEY}`, `hooks/${KEY}/send`]) {
    const serviceId = await register(market, market.provider, {
      targets: [upstream.url + path],
      priceUsdc: PRICE_USDC,
    })
    expectClean(
      JSON.stringify((await invoke(market, payer, { serviceId, costUsdc: PRICE_USDC, payload: {} })).body),
    )
  }
  await registerModel(market, market.provider, {
    url: `${upstream.url}${KEY}/messages?api_key=${KEY}`,
    manifest: { agentToolName: 'counting-model', llmDialect: 'anthropic' },
  })
  const counted = await fetch(`${market.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'x-api-key': payer.token, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'counting-model', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(counted.status).toBe(400)
  expectClean(await counted.text())
})
