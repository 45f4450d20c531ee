import type { EarnedCall } from '@farebox/wire/usage'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LlmMarket, openLlmMarket } from '../../../test/kit/llm/llm-market.ts'
import { newPayer } from '../../../test/kit/llm/payers.ts'
import { waitingCall } from '../../../test/kit/llm/waiting-calls.ts'
import { get } from '../../../test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { arrive, invoke, issueSecret, register } from '../../../test/kit/world/world.ts'

let market: LlmMarket
let provider: TestProvider
let fixed: string
let secret: string
beforeAll(async () => {
  ;[market, provider] = await Promise.all([openLlmMarket(), startProvider()])
  fixed = await register(market, market.provider, { targets: [provider.url], priceUsdc: '0.01' })
  secret = await issueSecret(market, market.provider)
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await market.stop()
  await provider.stop()
})

type Listed = { readonly invocations: readonly EarnedCall[]; readonly code?: string }
const list = (key: string, query = '') => get<Listed>(market, `/provider/invocations${query}`, { token: key })

test('lists the earnings and pending usage of a provider, without identifying callers', async () => {
  const payer = await newPayer(market)
  const call = { serviceId: fixed, costUsdc: '0.01', payload: { body: {} } }
  const { invocationId } = (await invoke(market, payer, call)).body
  const waiting = await waitingCall(market, payer)

  const { status, body } = await list(secret)
  expect(status).toBe(200)
  expect(body.invocations).toMatchObject([
    { invocationId: waiting.invocationId, status: 'PROCESSING', processingReason: 'usage_missing' },
    { invocationId, status: 'SUCCEEDED', chargedUsdc: '0.010000', feeUsdc: '0.000000', usage: null },
  ])
  expect(Date.parse(body.invocations[0]?.reportUsageBy ?? '')).toBeGreaterThan(Date.now())
  expect(JSON.stringify(body)).not.toContain('cred_')

  expect((await list(secret, '?status=PROCESSING')).body.invocations).toHaveLength(1)
  expect((await list(secret, `?serviceId=${fixed}`)).body.invocations).toHaveLength(1)
  const stranger = await issueSecret(market, await arrive(market))
  expect((await list(stranger)).body).toMatchObject({ invocations: [], nextCursor: null })
})

test('returns RATE_LIMITED for a secret over its rate limit', async () => {
  const slow = await issueSecret(market, market.provider, { rpm: 1 })
  expect((await list(slow)).status).toBe(200)
  const { status, body } = await list(slow)
  expect([status, body.code]).toEqual([429, 'RATE_LIMITED'])
})
