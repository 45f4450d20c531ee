import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { type RawModel, startRawModel } from '../kit/llm/raw-model.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { invoke, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.010000'
const CALLS_MAX = 4
const STREAMS_MAX = 2

let market: LlmMarket
let api: RawModel
let plain: TestProvider
let service: string
let streamed: string
beforeAll(async () => {
  const env = { CALLS_PER_OWNER: String(CALLS_MAX), STREAMS_PER_OWNER: String(STREAMS_MAX) }
  market = await openLlmMarket({ env })
  api = await startRawModel(market)
  plain = await startProvider()
  streamed = await register(market, market.provider, { targets: [api.url], priceUsdc: PRICE_USDC })
  service = await register(market, market.provider, { targets: [plain.url], priceUsdc: PRICE_USDC })
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await Promise.all([api.stop(), plain.stop()])
  await market.stop()
})

test('an owner above its limit of streams or calls in flight is refused by the name of the limit; others are not', async () => {
  const [payer, other] = [await newPayer(market), await newPayer(market)]
  const stream = { serviceId: streamed, costUsdc: PRICE_USDC, payload: {}, responseMode: 'stream' }
  const call = { serviceId: service, costUsdc: PRICE_USDC, payload: {} }
  const answers = Promise.withResolvers<void>()
  plain.respondWith(async (_, response) => {
    await answers.promise
    sendJson(response, 200, {})
  })
  const refused = (limit: string, max: number) => ({
    status: 429,
    body: {
      code: 'RATE_LIMITED',
      detail: { limit, max, retryAfterSeconds: 1, message: expect.stringContaining(`${max} `) },
    },
  })

  api.begin('data: 1\n\n')
  const streams = [listen(market, payer, stream), listen(market, payer, stream)]
  await api.untilOpen(STREAMS_MAX)
  const third = await invoke(market, payer, { ...stream, idempotencyKey: 'k' })
  expect(third).toMatchObject(refused('open_streams', STREAMS_MAX))
  const waiting = [invoke(market, payer, call), invoke(market, payer, call)]
  await until('all are in flight', () => plain.calls.length === 2)
  const fifth = await invoke(market, payer, { ...call, idempotencyKey: 'l' })
  expect(fifth).toMatchObject(refused('calls_in_flight', CALLS_MAX))

  const theirs = listen(market, other, stream)
  await api.untilOpen(STREAMS_MAX + 1)
  answers.resolve()
  for (const { response } of api.open) response.end()
  await Promise.all([...streams, theirs].map(({ over }) => over))
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
  // A refused call has left no trace: its key is free.
  expect(await invoke(market, payer, { ...call, idempotencyKey: 'l' })).toMatchObject({ status: 200 })
  const again = listen(market, payer, { ...stream, idempotencyKey: 'k' })
  await api.untilOpen(STREAMS_MAX + 2)
  for (const { response } of api.open) response.end()
  await again.over
  expect(await again.status).toBe(200)
})
