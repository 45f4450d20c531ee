import type { ErrorCode } from '@farebox/wire/errors'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { interruptCall } from '../../../test/kit/gateway/interrupt-call.ts'
import { chatBody, type LlmMarket, openLlmMarket } from '../../../test/kit/llm/llm-market.ts'
import { newPayer } from '../../../test/kit/llm/payers.ts'
import { report } from '../../../test/kit/llm/shapes.ts'
import { waitingCall } from '../../../test/kit/llm/waiting-calls.ts'
import { get, post } from '../../../test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { until } from '../../../test/kit/until.ts'
import { invoke, issueSecret, mint, register } from '../../../test/kit/world/world.ts'

let market: LlmMarket
let provider: TestProvider
let fixed: string
beforeAll(async () => {
  ;[market, provider] = await Promise.all([openLlmMarket(), startProvider()])
  fixed = await register(market, market.provider, { targets: [provider.url], priceUsdc: '0.01' })
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(async () => {
  await market.stop()
  await provider.stop()
})

const credential = (limits: Record<string, unknown> = {}) => mint(market, market.owner, limits)
const call = (more: object = {}) => ({ serviceId: fixed, costUsdc: '0.01', payload: { body: {} }, ...more })
const llmCall = (more: object = {}) => ({ serviceId: market.chat, payload: { body: chatBody() }, ...more })

describe('POST /agent/invoke', () => {
  const refusals: readonly (readonly [ErrorCode, () => Promise<{ body: { code?: unknown } }>])[] = [
    ['INVALID_PAYLOAD', async () => invoke(market, await credential(), { costUsdc: '0.01' })],
    [
      'INVALID_REQUEST',
      async () => {
        const headers = { 'x-credential': (await credential()).token, 'x-idempotency-key': 'k'.repeat(256) }
        return post(market, '/agent/invoke', { headers, body: call() })
      },
    ],
    ['SERVICE_NOT_FOUND', async () => invoke(market, await credential(), call({ serviceId: 'none' }))],
    [
      'SERVICE_NOT_ALLOWED',
      async () => invoke(market, await credential({ allowedServices: [market.chat] }), call()),
    ],
    ['PRICE_MISMATCH', async () => invoke(market, await credential(), call({ costUsdc: '0.02' }))],
    [
      'LLM_AUTO_HOLD_LIMIT_EXCEEDED',
      async () =>
        invoke(
          market,
          await credential(),
          llmCall({ payload: { body: chatBody({ max_tokens: 9_000_000 }) } }),
        ),
    ],
    ['BUDGET_EXHAUSTED', async () => invoke(market, await credential({ creditLimit: '0.005' }), call())],
    [
      'RATE_LIMITED',
      async () => {
        const slow = await credential({ rpm: 1 })
        await invoke(market, slow, call())
        return invoke(market, slow, call())
      },
    ],
    [
      'IDEMPOTENCY_CONFLICT',
      async () => {
        const agent = await credential()
        await invoke(market, agent, call({ idempotencyKey: 'key' }))
        return invoke(market, agent, call({ idempotencyKey: 'key', payload: { body: { other: 1 } } }))
      },
    ],
    [
      'UPSTREAM_ERROR',
      async () => {
        market.model.bend({ status: 500, body: {} })
        return invoke(market, await credential(), llmCall())
      },
    ],
  ]
  test.each(refusals)('rejects with %s', async (code, provoke) => {
    expect((await provoke()).body.code).toBe(code)
  })

  test('returns IDEMPOTENCY_IN_PROGRESS for a key in flight, and GATEWAY_INTERRUPTED after its gateway dies', async () => {
    market.model.bend({ stallBeforeHead: true })
    const agent = await credential()
    const body = llmCall({ idempotencyKey: 'key' })
    const first = invoke(market, agent, body)
    await until('the provider is asked', () => market.model.inFlight > 0)
    expect((await invoke(market, agent, body)).body.code).toBe('IDEMPOTENCY_IN_PROGRESS')
    await interruptCall(market, agent)
    market.model.release()
    expect((await first).body.code).toBe('GATEWAY_INTERRUPTED')
    expect((await invoke(market, agent, body)).body.code).toBe('GATEWAY_INTERRUPTED')
  })
})

test('GET /agent/invocations/:id returns INVOCATION_NOT_FOUND for invocations of others', async () => {
  const { body } = await invoke(market, await credential(), call())
  const headers = { 'x-credential': (await credential()).token }
  const answer = await get(market, `/agent/invocations/${body.invocationId}`, { headers })
  expect([answer.status, answer.body.code]).toEqual([404, 'INVOCATION_NOT_FOUND'])
})

describe('POST /provider/invocations/:id/usage', () => {
  const usage = { inputTokens: 4, outputTokens: 9 }

  test.each([
    {},
    { inputTokens: 1 },
    { inputTokens: 1.5, outputTokens: 1 },
    { usage: { inputTokens: -1, outputTokens: 1 } },
  ])('rejects %j with INVALID_PAYLOAD', async given => {
    const secret = await issueSecret(market, market.provider)
    const { status, body } = await report(market, secret, { invocationId: 'inv_none', usage: given })
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
  })

  test('returns INVOCATION_NOT_FOUND for an unknown or unmetered call', async () => {
    const secret = await issueSecret(market, market.provider)
    const { body } = await invoke(market, await credential(), call())
    for (const invocationId of ['inv_none', '%00', body.invocationId]) {
      const answer = await report(market, secret, { invocationId, usage })
      expect([answer.status, answer.body.code]).toEqual([404, 'INVOCATION_NOT_FOUND'])
    }
  })

  test('returns IDEMPOTENCY_IN_PROGRESS for a call in flight', async () => {
    market.model.bend({ stallBeforeHead: true })
    const secret = await issueSecret(market, market.provider)
    const agent = await credential()
    const running = invoke(market, agent, llmCall())
    await until('the provider is asked', () => market.model.inFlight > 0)
    const [held] = await market.sql<{ id: string }>('select id from invocations where credential_id = $1', [
      agent.id,
    ])
    const { status, body } = await report(market, secret, { invocationId: held?.id ?? '', usage })
    expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    market.model.release()
    expect((await running).status).toBe(200)
  })

  test('returns USAGE_ALREADY_FINAL for counts that differ from those charged, and BUDGET_EXHAUSTED over the limit of the secret', async () => {
    const [secret, poor] = await Promise.all([
      issueSecret(market, market.provider),
      issueSecret(market, market.provider, { creditLimit: '0.000001' }),
    ])
    const { invocationId } = await waitingCall(market, await newPayer(market))
    const refused = await report(market, poor, { invocationId, usage })
    expect([refused.status, refused.body.code]).toEqual([402, 'BUDGET_EXHAUSTED'])
    expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
    const other = { ...usage, outputTokens: 10 }
    const late = await report(market, secret, { invocationId, usage: other })
    expect([late.status, late.body.code]).toEqual([409, 'USAGE_ALREADY_FINAL'])
  })
})
