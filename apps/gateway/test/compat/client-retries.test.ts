import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'

/** As in docs/compatible-apis.md. */
class PayingOpenAI extends OpenAI {
  protected override idempotencyHeader = 'Idempotency-Key'
}

const MESSAGES = [{ role: 'user' as const, content: 'Hi' }]

/** Stands where the gateway does; the header that marks calls is not looked for. */
let server: TestProvider
beforeAll(async () => {
  server = await startProvider()
})
afterAll(() => server.stop())

/** Keys of the attempts of one request that fails once. */
async function keysOf(request: () => Promise<unknown>): Promise<unknown[]> {
  const from = server.calls.length
  server.respondWith((_, response) =>
    server.calls.length === from + 1
      ? response.writeHead(500, { 'retry-after-ms': '1' }).end()
      : sendJson(response, 200, {}),
  )
  await request()
  return server.calls.slice(from).map(({ headers }) => headers['idempotency-key'])
}

describe('the retries of an official client', () => {
  const defaultHeaders = { 'farebox-invocation-id': 'inv_test' }
  const options = () => ({ apiKey: 'agt_test', defaultHeaders })
  const openai = () => new OpenAI({ baseURL: `${server.url}v1`, ...options() })
  const paying = () => new PayingOpenAI({ baseURL: `${server.url}v1`, ...options() })
  const anthropic = () => new Anthropic({ baseURL: server.url, ...options() })
  const headers = { 'Idempotency-Key': 'k' }
  /** Returns the retry counts of the last two attempts. */
  const counts = () => server.calls.slice(-2).map(call => call.headers['x-stainless-retry-count'])

  test('send a retry count instead of a key by default', async () => {
    const keys = await keysOf(() => openai().chat.completions.create({ model: 'm', messages: MESSAGES }))
    expect(keys).toEqual([undefined, undefined])
    expect(counts()).toEqual(['0', '1'])
    const ask = { model: 'm', max_tokens: 1, messages: MESSAGES }
    expect(await keysOf(() => anthropic().messages.create(ask))).toEqual([undefined, undefined])
    expect(counts()).toEqual(['0', '1'])
  })

  test('keep a key that was given with the request', async () => {
    const chat = { model: 'm', messages: MESSAGES }
    expect(await keysOf(() => openai().chat.completions.create(chat, { headers }))).toEqual(['k', 'k'])
    const message = { ...chat, max_tokens: 1 }
    expect(await keysOf(() => anthropic().messages.create(message, { headers }))).toEqual(['k', 'k'])
  })

  test('keep the key that a client makes for each request', async () => {
    const ask = () => paying().chat.completions.create({ model: 'm', messages: MESSAGES })
    const [first, again] = await keysOf(ask)
    expect(first).toEqual(expect.any(String))
    expect(again).toBe(first)
    const [other] = await keysOf(ask)
    expect(other).not.toBe(first)
  })
})
