import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chatBody, type LlmMarket, openLlmMarket, registerModel } from '../kit/llm/llm-market.ts'
import { FUNDS, newPayer } from '../kit/llm/payers.ts'
import { callTool, connectMcp, textOf } from '../kit/network/mcp-client.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import type { Payer } from '../kit/world/payer.ts'
import { balanceOf, invoke, register } from '../kit/world/world.ts'

const PRICE = 10_000n
const PRICE_USDC = '0.010000'
/** Bounds of a provider's JSON: bytes, levels and values. */
const BYTES_MAX = 2 * 1_048_576
const DEPTH_MAX = 64
const NODES_MAX = 100_000

let market: LlmMarket
let upstream: TestProvider
let service: string
let model: string
let payer: Payer
beforeAll(async () => {
  market = await openLlmMarket()
  upstream = await startProvider()
  service = await register(market, market.provider, {
    targets: [upstream.url],
    priceUsdc: PRICE_USDC,
    manifest: { agentToolName: 'hostile' },
  })
  model = await registerModel(market, market.provider, { url: `${upstream.url}chat` })
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await upstream.stop()
  await market.stop()
})

/** Calls the service while its provider answers with this text. */
async function answerTo(text: string, contentType = 'application/json') {
  payer = await newPayer(market)
  upstream.respondWith((_, response) => {
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': contentType }).end(text)
  })
  return invoke(market, payer, { serviceId: service, costUsdc: PRICE_USDC, payload: {} })
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
/** Returns an array with this many values, itself included. */
const valued = (nodes: number) => `[${'1,'.repeat(nodes - 2)}1]`
const sized = (bytes: number) => `{"text":"${'x'.repeat(bytes - 11)}"}`
/** Empty arrays, as many as fit: each costs a provider three bytes. */
const HOSTILE = `[${'[],'.repeat(BYTES_MAX / 3 - 2)}[]]`

describe("a provider's JSON", () => {
  test.each([
    ['of countless empty arrays', HOSTILE],
    ['nested too deep', nested(DEPTH_MAX + 1)],
    ['with one value too many', valued(NODES_MAX + 1)],
    ['with one byte too many', sized(BYTES_MAX + 1)],
    ['that never ends', '['.repeat(BYTES_MAX - 1)],
  ])('%s is UPSTREAM_ERROR too_large, and not charged', async (_, text) => {
    expect(await answerTo(text)).toMatchObject({
      status: 502,
      body: { code: 'UPSTREAM_ERROR', detail: { reason: 'too_large', status: 'FAILED_FINAL' } },
    })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  })

  test.each([
    ['of the maximum depth', nested(DEPTH_MAX)],
    ['with the maximum number of values', valued(NODES_MAX)],
    ['of the maximum size', sized(BYTES_MAX)],
    ['whose text looks deep', JSON.stringify({ text: nested(1_000) })],
  ])('%s is passed on and charged', async (_, text) => {
    const { status, body } = await answerTo(text)
    expect(status).toBe(200)
    expect(body.result).toEqual(text.startsWith('[') ? { value: JSON.parse(text) } : JSON.parse(text))
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - PRICE, held: 0n })
  })

  test('with more than ten thousand names is the text of a tool, without being built', async () => {
    const names = `{${Array.from({ length: 20_000 }, (_, index) => `"n${index}":1`).join(',')}}`
    await answerTo(names)
    const client = await connectMcp(market, payer)
    const answer = await callTool(client, 'hostile')
    await client.close()
    expect(textOf(answer)).toBe(names)
    expect(answer.structuredContent).toBeUndefined()
    expect(answer._meta).toMatchObject({
      'farebox/chargedUsdc': PRICE_USDC,
      'farebox/receipt': { attempts: 1 },
    })
  })

  test('with more than ten thousand names is passed on, without being built', async () => {
    const names = `{${Array.from({ length: 90_000 }, (_, index) => `"n${index}":1`).join(',')}}`
    expect((await answerTo(names)).body.result).toEqual(JSON.parse(names))
    const usage = '{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}'
    payer = await newPayer(market)
    upstream.respondWith((_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"choices":${names},"usage":${usage}}`)
    })
    const call = { serviceId: model, payload: { body: chatBody() } }
    expect(await invoke(market, payer, call)).toMatchObject({
      status: 200,
      body: { chargedUsdc: '0.000039', usage: { inputTokens: 10, outputTokens: 4 } },
    })
    const streamed = { ...call, payload: { body: chatBody({ stream: true }) } }
    expect(await invoke(market, payer, streamed)).toMatchObject({
      status: 502,
      body: { detail: { reason: 'too_large', status: 'FAILED_FINAL' } },
    })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - 39n, held: 0n })
  })

  test('is checked against the response schema of its service up to a size; the receipt reports a larger one as unchecked', async () => {
    const names = `{${Array.from({ length: 20_000 }, (_, index) => `"n${index}":1`).join(',')}}`
    const before = service
    service = await register(market, market.provider, {
      targets: [upstream.url],
      priceUsdc: PRICE_USDC,
      invoke: { response: { body: { type: 'object' } } },
    })
    const { body } = await answerTo(names)
    service = before
    expect(body.result).toEqual(JSON.parse(names))
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - PRICE, held: 0n })
    expect(body.receipt).toMatchObject({
      responseIssues: [{ path: 'result', message: expect.stringContaining('too large to check') }],
    })
  })

  test('of a model beyond the limits is neither charged nor awaited', async () => {
    payer = await newPayer(market)
    upstream.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(HOSTILE)
    })
    expect(await invoke(market, payer, { serviceId: model, payload: { body: chatBody() } })).toMatchObject({
      status: 502,
      body: { code: 'UPSTREAM_ERROR', detail: { reason: 'too_large', status: 'FAILED_FINAL' } },
    })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  })
})

test('passes on an image of 3 MiB: answers other than JSON may be larger', async () => {
  const image = 'x'.repeat(3 * 1_048_576)
  const { status, body } = await answerTo(image, 'image/png')
  expect(status).toBe(200)
  expect(body.result).toEqual({ contentType: 'image/png', base64: Buffer.from(image).toString('base64') })
  expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - PRICE, held: 0n })
})
