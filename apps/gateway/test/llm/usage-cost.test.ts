import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  chatBody,
  invokeStream,
  type LlmMarket,
  openLlmMarket,
  registerModel,
} from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { report, SHAPES } from '../kit/llm/shapes.ts'
import { invoke, issueSecret } from '../kit/world/world.ts'

let market: LlmMarket
beforeAll(async () => {
  market = await openLlmMarket()
  const url = `${market.model.url}/v1/chat/completions`
  await registerModel(market, market.provider, { url, manifest: { agentToolName: 'teller' } })
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

// With a point, so that no hash of the answer can hold its digits by chance.
const FALSE_COST = 987654.125
const statesCost = () => market.model.bend({ usage: block => ({ ...block, cost: FALSE_COST }) })

test.each(SHAPES)("a complete answer of $name has the charge, not the provider's cost", async shape => {
  statesCost()
  const call = { serviceId: shape.service(market), payload: { body: shape.body() } }
  const { body } = await invoke(market, market.credential, call)
  expect(body).toMatchObject({
    status: 'SUCCEEDED',
    result: { usage: { cost: Number(body.chargedUsdc) } },
  })
})

test.each(SHAPES)('a stream of $name reports the charge once, at its end', async shape => {
  statesCost()
  const call = { serviceId: shape.service(market), payload: { body: shape.body({ stream: true }) } }
  const { text, events } = await invokeStream(market, market.credential, call)
  expect(text).toContain('[DONE]')
  expect(text).not.toContain(String(FALSE_COST))
  const bill = JSON.parse(events.find(({ name }) => name === 'gateway')?.data ?? '')
  const costs = [...text.matchAll(/"cost":([0-9.e-]+)/g)].map(([, cost]) => Number(cost))
  expect(costs).toEqual([Number(bill.chargedUsdc)])
})

test('a compatible API reports the charge in its answer and its last chunk, too', async () => {
  statesCost()
  const ask = async (more: Record<string, unknown>) => {
    const response = await fetch(`${market.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${market.credential.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...chatBody(more), model: 'teller' }),
    })
    return { charged: response.headers.get('farebox-charged-usdc'), text: await response.text() }
  }
  const whole = await ask({})
  expect(JSON.parse(whole.text)).toMatchObject({ usage: { cost: Number(whole.charged) } })
  const streamed = await ask({ stream: true, stream_options: { include_usage: true } })
  expect(streamed.text).not.toContain(String(FALSE_COST))
  const { chargedUsdc } = JSON.parse(/^: farebox (.*)$/m.exec(streamed.text)?.[1] ?? '')
  expect(streamed.text).toMatch(/"usage":\{.*"cost":/)
  expect(Number(/"cost":([0-9.e-]+)/.exec(streamed.text)?.[1])).toBe(Number(chargedUsdc))
})

test.each(SHAPES)('an answer of $name has its cost even if its provider states none', async shape => {
  const call = { serviceId: shape.service(market), payload: { body: shape.body() } }
  const { body } = await invoke(market, market.credential, call)
  expect(body).toMatchObject({ result: { usage: { cost: Number(body.chargedUsdc) } } })
  const streamed = { serviceId: shape.service(market), payload: { body: shape.body({ stream: true }) } }
  const { text, events } = await invokeStream(market, market.credential, streamed)
  const bill = JSON.parse(events.find(({ name }) => name === 'gateway')?.data ?? '')
  expect(Number(/"cost":([0-9.e-]+)/.exec(text)?.[1])).toBe(Number(bill.chargedUsdc))
})

test('an answer with late usage has the charge made then', async () => {
  market.model.bend({ usage: { replaceBy: { cost: FALSE_COST } } })
  const secret = await issueSecret(market, market.provider)
  const payer = await newPayer(market)
  const call = { serviceId: market.chat, payload: { body: chatBody() }, idempotencyKey: 'late' }
  const silent = await invoke(market, payer, call)
  const { invocationId } = silent.body.detail
  const usage = { inputTokens: 10, outputTokens: 4 }
  expect((await report(market, secret, { invocationId: String(invocationId), usage })).status).toBe(200)
  const replayed = await invoke(market, payer, call)
  expect(replayed.body).toMatchObject({ chargedUsdc: '0.000039', result: { usage: { cost: 0.000039 } } })
})
