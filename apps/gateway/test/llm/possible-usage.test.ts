import { formatUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  chatBody,
  costOf,
  invokeStream,
  type LlmMarket,
  openLlmMarket,
  registerModel,
} from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { report } from '../kit/llm/shapes.ts'
import { get } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { balanceOf, invoke, issueSecret } from '../kit/world/world.ts'

const CACHED_PRICES = {
  inputPricePer1MTokensUsdc: '2',
  outputPricePer1MTokensUsdc: '10',
  cacheReadPricePer1M: '0.2',
  cacheWritePricePer1M: '2.5',
}

let market: LlmMarket
const chatUrl = () => `${market.model.url}/v1/chat/completions`
/** Micro-USDC per million: 2 for input, 0.2 read from the cache, 2.5 written to it, 10 for output. */
let cached: string
let free: string
beforeAll(async () => {
  market = await openLlmMarket()
  const url = chatUrl()
  cached = await registerModel(market, market.provider, { url, manifest: CACHED_PRICES })
  const nothing = { inputPricePer1MTokensUsdc: '0', outputPricePer1MTokensUsdc: '0' }
  free = await registerModel(market, market.provider, { url, manifest: nothing })
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

const reports = (usage: unknown) => market.model.bend({ usage: { replaceBy: usage } })
const logsOf = async (invocationId: unknown) => {
  const { body } = await get<{ logs: { invocationId: string }[] }>(market, '/usage/logs?limit=50', {
    token: market.owner.token,
  })
  return body.logs.find(log => log.invocationId === invocationId)
}

describe('usage beyond what a call can use', () => {
  const bytes = Buffer.byteLength(JSON.stringify(chatBody()))

  test('is charged up to the output bound times n, and up to a token a byte plus 1,024 of input', async () => {
    // The sample returns one choice only: here it answers without having read the request.
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 }
    market.model.bend({ status: 200, body: { choices: [], usage } })
    const call = { serviceId: market.chat, payload: { body: chatBody({ n: 2 }) }, maxCostUsdc: '50' }
    const { body } = await invoke(market, market.credential, call)
    const forwarded = Buffer.byteLength(market.model.call().text)
    const charge = costOf({ input: forwarded + 1_024, output: 80 })
    expect(body).toMatchObject({
      status: 'SUCCEEDED',
      chargedUsdc: formatUsdc(charge),
      gateway: { holdUsdc: '50.000000', releasedUsdc: formatUsdc(usdc(50_000_000n - charge)), capped: true },
      usage: { inputTokens: 1_000_000, outputTokens: 1_000_000 },
    })
  })

  test('is capped in a stream and in a report of the provider, too', async () => {
    const most = formatUsdc(costOf({ input: bytes + 1_024, output: 40 }))
    reports({ prompt_tokens: 90_000, completion_tokens: 90_000 })
    const call = { serviceId: market.chat, maxCostUsdc: '50' }
    const body = chatBody({ stream: true })
    const streamed = await invokeStream(market, market.credential, { ...call, payload: { body } })
    const bill = JSON.parse(streamed.events.at(-2)?.data ?? '') as Record<string, unknown>
    const forwarded = Buffer.byteLength(market.model.call().text)
    expect(bill).toMatchObject({
      chargedUsdc: formatUsdc(costOf({ input: forwarded + 1_024, output: 40 })),
      gateway: { capped: true },
    })

    reports(undefined)
    const secret = await issueSecret(market, market.provider)
    const payer = await newPayer(market)
    const silent = await invoke(market, payer, {
      ...call,
      maxCostUsdc: '0.01',
      payload: { body: chatBody() },
    })
    const { invocationId } = silent.body.detail
    const usage = { inputTokens: 90_000, outputTokens: 90_000 }
    const reported = await report(market, secret, { invocationId: String(invocationId), usage })
    expect(reported).toMatchObject({ status: 200, body: { invocation: { chargedUsdc: most } } })
    expect((await balanceOf(market, payer.owner)).held).toBe(0n)
  })

  test('is not charged as output of embeddings, which have none, whatever the cap', async () => {
    const prices = { inputPricePer1MTokensUsdc: '1', outputPricePer1MTokensUsdc: '10000' }
    const url = `${market.model.url}/v1/embeddings`
    const serviceId = await registerModel(market, market.provider, { url, manifest: prices })
    const usage = { prompt_tokens: 2, completion_tokens: 1_000_000, total_tokens: 1_000_002 }
    market.model.bend({ status: 200, body: { object: 'list', data: [], usage } })
    const call = { serviceId, payload: { body: { model: 'any', input: 'The sea.' } }, maxCostUsdc: '5' }
    expect((await invoke(market, market.credential, call)).body).toMatchObject({
      chargedUsdc: '0.000002',
      gateway: { capped: true, releasedUsdc: '4.999998' },
    })
  })

  test('is capped at any price, even free', async () => {
    reports({ prompt_tokens: 5, completion_tokens: 41 })
    const call = { serviceId: free, payload: { body: chatBody() } }
    expect((await invoke(market, market.credential, call)).body).toMatchObject({
      chargedUsdc: '0.000000',
      gateway: { capped: true },
    })
    reports({ prompt_tokens: 5, completion_tokens: 40 })
    expect((await invoke(market, market.credential, call)).body).not.toHaveProperty('gateway.capped')
  })
})

test('a call rates its service at the highest price of input, and by the output that it can have had', async () => {
  const model = { url: chatUrl(), manifest: CACHED_PRICES }
  const serviceId = await registerModel(market, market.provider, model)
  reports({ prompt_tokens: 5, completion_tokens: 90_000_000 })
  const call = { serviceId, payload: { body: chatBody() } }
  expect((await invoke(market, market.credential, call)).body).toMatchObject({ gateway: { capped: true } })
  const rated = () =>
    market.sql(
      `select rated_good::int as calls, rated_output_tokens as output, rated_price::int as price
       from service_calls where service_id = $1`,
      [serviceId],
    )
  await until('it is counted', async () => (await rated()).length > 0)
  expect(await rated()).toEqual([{ calls: 1, output: 40, price: 2_500_000 }])
})

describe('cached tokens', () => {
  test('are charged at their own prices, and reported with input and output in answer, receipt and log', async () => {
    reports({
      prompt_tokens: 500,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 100 },
    })
    const call = { serviceId: cached, payload: { body: chatBody() }, maxCostUsdc: '1' }
    const { body } = await invoke(market, market.credential, call)
    // 100 x 2 + 300 x 0.2 + 100 x 2.5 + 10 x 10 millionths of a USDC
    const counts = { inputTokens: 500, outputTokens: 10, cacheReadTokens: 300, cacheWriteTokens: 100 }
    expect(body).toMatchObject({
      chargedUsdc: '0.000610',
      usage: { ...counts, totalTokens: 510 },
      receipt: { usage: { ...counts, totalTokens: 510 } },
    })
    expect(await logsOf(body.invocationId)).toMatchObject(counts)
  })

  test('cost the same as other input where the service has no price for them', async () => {
    const usage = { prompt_tokens: 500, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 500 } }
    reports(usage)
    const { body } = await invoke(market, market.credential, {
      serviceId: market.chat,
      payload: { body: chatBody() },
      maxCostUsdc: '1',
    })
    expect(body).toMatchObject({ chargedUsdc: formatUsdc(costOf({ input: 500, output: 10 })) })
  })

  test('are held at the highest price of input', async () => {
    reports({ prompt_tokens: 1, completion_tokens: 1 })
    const { body } = await invoke(market, market.credential, {
      serviceId: cached,
      payload: { body: chatBody() },
    })
    const prompt = Math.ceil(Buffer.byteLength(market.model.call().text) / 3) + 16
    const hold = Math.ceil(((prompt * 2.5 + 40 * 10) * 12) / 10) / 1e6
    expect(body).toMatchObject({ gateway: { holdUsdc: hold.toFixed(6) } })
  })

  test("are read from a late report, in the gateway's names too", async () => {
    reports(undefined)
    const secret = await issueSecret(market, market.provider)
    const payer = await newPayer(market)
    const silent = await invoke(market, payer, { serviceId: cached, payload: { body: chatBody() } })
    const { invocationId } = silent.body.detail
    const usage = { inputTokens: 100, outputTokens: 1, cacheReadTokens: 60, cacheWriteTokens: 40 }
    const stated = { invocationId: String(invocationId), usage }
    expect(await report(market, secret, stated)).toMatchObject({
      status: 200,
      // 60 x 0.2 + 40 x 2.5 + 10
      body: { invocation: { chargedUsdc: '0.000122', usage: { ...usage, totalTokens: 101 } } },
    })
    expect((await report(market, secret, stated)).status).toBe(200)
    const other = { ...stated, usage: { ...usage, cacheReadTokens: 59 } }
    expect(await report(market, secret, other)).toMatchObject({ body: { code: 'USAGE_ALREADY_FINAL' } })
  })
})

test('a total that is not input plus output is not charged, and the receipt notes it, even when nothing else is left', async () => {
  reports({ prompt_tokens: 30, completion_tokens: 4, total_tokens: 900 })
  const call = { serviceId: market.chat, payload: { body: chatBody() }, idempotencyKey: 'odd-total' }
  const { body } = await invoke(market, market.credential, call)
  const usage = { inputTokens: 30, outputTokens: 4, totalTokens: 34, statedTotalTokens: 900 }
  expect(body).toMatchObject({
    status: 'SUCCEEDED',
    chargedUsdc: formatUsdc(costOf({ input: 30, output: 4 })),
    usage,
    receipt: { usage },
  })
  await market.sql('delete from invocation_answers where invocation_id = $1', [body.invocationId])
  const again = await invoke(market, market.credential, call)
  expect(again.body).toMatchObject({ answerExpired: true, usage, receipt: { usage } })
})
