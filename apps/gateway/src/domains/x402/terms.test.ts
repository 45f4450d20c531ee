import { isPaymentRequiredV1, isPaymentRequiredV2 } from '@x402/core/schemas'
import { type DiscoveryExtension, validateDiscoveryExtension } from '@x402/extensions/bazaar'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { registerModel } from '../../../test/kit/llm/llm-market.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { arrive, register } from '../../../test/kit/world/world.ts'
import { askTerms, decoded, newSettler, request, type Terms } from '../../../test/kit/world/x402-client.ts'

const HEADER_BYTES_MAX = 4_096

let on: TestGateway
let upstream: TestProvider

const body = { type: 'object', properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] }

beforeAll(async () => {
  ;[on, upstream] = await Promise.all([startTestGateway({ env: newSettler().env }), startProvider()])
  const provider = await arrive(on)
  const sell = (agentToolName: string, priceUsdc: string, request: object) =>
    register(on, provider, {
      targets: [upstream.url],
      priceUsdc,
      manifest: { agentToolName, serviceName: agentToolName },
      invoke: { request },
    })
  await sell('weather', '0.05', { body })
  await sell('gratis', '0', {})
  const many = Array.from({ length: 60 }, (_, index) => [`member${index}`, { type: 'string' }])
  await sell('wide', '0.01', { body: { type: 'object', properties: Object.fromEntries(many) } })
  await registerModel(on, provider, {
    url: `${upstream.url}v1/chat/completions`,
    manifest: { agentToolName: 'ferryman', serviceName: 'Ferryman' },
  })
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  await upstream.stop()
})

const at = (path: string) => `${on.url}/x402/${path}`
const amountOf = (terms: Terms) => terms.accepts[0]?.amount
const bazaarOf = (terms: Terms) => terms.extensions?.bazaar as DiscoveryExtension

describe('an unpaid request', () => {
  test('is answered with the terms of both versions, whatever its body is', async () => {
    const json = { 'content-type': 'application/json' }
    const answers = [
      await fetch(at('weather')),
      await fetch(at('weather'), { method: 'POST' }),
      await request(at('weather'), { city: 'Lisbon' }),
      await request(at('weather'), { town: 1 }),
      await fetch(at('weather'), { method: 'POST', headers: json, body: '{"city":' }),
      await fetch(at('weather'), { method: 'POST', headers: json, body: '[]' }),
      await fetch(at('weather'), { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a;b' }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(402)
      const header = answer.headers.get('payment-required')
      const terms = decoded<Terms>(header)
      const shown = await answer.json()
      expect(isPaymentRequiredV2(terms)).toBe(true)
      expect(isPaymentRequiredV1(shown)).toBe(true)
      expect(shown).toMatchObject({
        code: 'PAYMENT_REQUIRED',
        x402Version: 1,
        accepts: [{ scheme: 'exact', network: 'eip155:31337', maxAmountRequired: '50000' }],
      })
      expect(terms).toMatchObject({
        resource: { url: at('weather') },
        accepts: [
          {
            scheme: 'exact',
            network: 'eip155:31337',
            amount: '50000',
            payTo: getAddress(on.chain.contracts.vault),
            asset: getAddress(on.chain.contracts.usdc),
            extra: { name: 'Test USDC', version: '1' },
          },
        ],
      })
      expect(header?.length).toBeLessThan(HEADER_BYTES_MAX)
    }
    expect(upstream.calls).toEqual([])
  })

  test('describes the service with an example that fits its schema; a long schema becomes a link', async () => {
    const [weather, wide, model] = await Promise.all(
      ['weather', 'wide', 'ferryman'].map(name => askTerms(at(name))),
    )
    for (const terms of [weather, wide, model]) {
      if (terms === undefined) throw new Error('There are no terms.')
      expect(validateDiscoveryExtension(bazaarOf(terms))).toEqual({ valid: true })
    }
    expect(bazaarOf(weather as Terms).info).toMatchObject({
      input: { type: 'http', method: 'POST', bodyType: 'json', body: { city: 'text' } },
    })
    expect(JSON.stringify(bazaarOf(wide as Terms).schema)).toContain(`${on.url}/api/v1/market/services/`)
  })

  test('to a model asks for the maximum cost of its body, lowered by maxCostUsdc', async () => {
    const messages = [{ role: 'user', content: 'Who pays the ferryman?' }]
    const empty = amountOf(await askTerms(at('ferryman'), undefined))
    const long = amountOf(await askTerms(at('ferryman'), { messages, max_tokens: 1_000 }))
    const short = amountOf(await askTerms(at('ferryman'), { messages, max_tokens: 10 }))
    expect(Number(long)).toBeGreaterThan(Number(empty))
    expect(Number(empty)).toBeGreaterThan(Number(short))
    const capped = await askTerms(`${at('ferryman')}?maxCostUsdc=0.001`, { messages, max_tokens: 1_000 })
    expect(amountOf(capped)).toBe('1000')
  })

  test('to an unknown service is SERVICE_NOT_FOUND', async () => {
    const answer = await request(at('nobody'), {})
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'SERVICE_NOT_FOUND' }])
  })
})

test('a free service needs no payment, and is rate limited per client address', async () => {
  const first = await request(at('gratis'), { q: 1 })
  expect([first.status, await first.json()]).toEqual([200, { number: upstream.calls.length }])
  expect(first.headers.get('farebox-charged-usdc')).toBe('0.000000')
  const more = await Promise.all(Array.from({ length: 200 }, () => request(at('gratis'), {})))
  const refused = more.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(await refused[0]?.json()).toMatchObject({ code: 'RATE_LIMITED' })
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
})
