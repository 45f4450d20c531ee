import { parseUsdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { registerModel } from '../../../test/kit/llm/llm-market.ts'
import { type LlmTestProvider, startLlmProvider } from '../../../test/kit/provider/llm-provider.ts'
import { arrive } from '../../../test/kit/world/world.ts'
import {
  askTerms,
  balanceOf,
  decoded,
  giveGas,
  newSettler,
  newX402Payer,
  request,
  signPayment,
} from '../../../test/kit/world/x402-client.ts'

const FUNDS = 1_000_000n
const BODY = { messages: [{ role: 'user', content: 'Who pays?' }], max_tokens: 20, stream: true }

let on: TestGateway
let model: LlmTestProvider
let url: string

beforeAll(async () => {
  const settler = newSettler()
  ;[on, model] = await Promise.all([startTestGateway({ env: settler.env }), startLlmProvider()])
  await giveGas(on.chain, settler.address)
  await registerModel(on, await arrive(on), {
    url: `${model.url}/v1/chat/completions`,
    manifest: { agentToolName: 'ferryman', upstreamModel: 'm-1' },
  })
  url = `${on.url}/x402/ferryman`
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  await model.stop()
})

/** The result in the last event but one. */
const billIn = (text: string) =>
  JSON.parse(/^event: gateway\ndata: (.*)$/m.exec(text)?.[1] ?? 'null') as { chargedUsdc: string }

test('streams a model for a payment, holds the paid amount and credits the rest', async () => {
  const payer = await newX402Payer(on.chain, FUNDS)
  const terms = await askTerms(url, BODY)
  const price = BigInt(terms.accepts[0]?.amount ?? 0)
  const { header } = await signPayment(payer, terms)
  const before = model.calls.length
  const answer = await request(url, BODY, header)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true })
  expect(answer.headers.get('farebox-invocation-id')).toMatch(/^inv_/)
  expect(parseUsdc(answer.headers.get('farebox-hold-usdc') ?? '')).toBe(price)
  const text = await answer.text()
  expect(text.match(/"object":"chat.completion.chunk"/g)?.length).toBeGreaterThan(2)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  const charged = parseUsdc(billIn(text).chargedUsdc)
  expect(charged).toBeGreaterThan(0n)
  expect(await balanceOf(on.gateway.deps, payer)).toBe(price - charged)

  const again = await request(url, BODY, header)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(billIn(await again.text()).chargedUsdc).toBe(billIn(text).chargedUsdc)
  expect([model.calls.length - before, await on.chain.usdcOf(payer.address)]).toEqual([1, FUNDS - price])
})

test('the same body without stream is answered whole', async () => {
  const payer = await newX402Payer(on.chain, FUNDS)
  const body = { ...BODY, stream: false }
  const { header } = await signPayment(payer, await askTerms(url, body))
  const answer = await request(url, body, header)
  expect([answer.status, await answer.json()]).toMatchObject([200, { object: 'chat.completion' }])
})
