import type { ErrorCode } from '@farebox/wire/errors'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { interruptCall } from '../kit/gateway/interrupt-call.ts'
import { send } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { type ModelFixture, startModelFixture } from './model-fixture.ts'

/** An error in either API's format. */
type ErrorAnswer = { readonly error?: { readonly farebox?: { readonly code: ErrorCode } } }

const MESSAGES = [{ role: 'user', content: 'Go on.' }]

const apis = [
  { path: '/chat/completions', model: 'chat-model', limit: 'max_tokens', prompt: { messages: MESSAGES } },
  { path: '/responses', model: 'chat-model', limit: 'max_output_tokens', prompt: { input: 'Go on.' } },
  { path: '/completions', model: 'chat-model', limit: 'max_tokens', prompt: { prompt: 'Go on.' } },
  { path: '/embeddings', model: 'embeddings-model', limit: 'dimensions', prompt: { input: 'Go on.' } },
  { path: '/messages', model: 'claude-model', limit: 'max_tokens', prompt: { messages: MESSAGES } },
] as const
type CompatApi = (typeof apis)[number]

let fixture: ModelFixture
beforeAll(async () => {
  fixture = await startModelFixture()
  await fixture.offer('chat-model', '/v1/chat/completions')
  await fixture.offer('embeddings-model', '/v1/embeddings', { maxAutoHoldUsdc: '0.001' })
  await fixture.offer('claude-model', '/v1/messages', { llmDialect: 'anthropic' })
})
afterEach(() => fixture.provider.bend({}))
afterAll(() => fixture.stop())

const bodyOf = ({ model, prompt, limit }: CompatApi, more: object = {}) => ({
  model,
  ...prompt,
  [limit]: 8,
  ...more,
})

async function call(api: CompatApi, credential: { token: string }, body: object, key?: string) {
  const headers = { 'x-credential': credential.token, ...(key !== undefined && { 'x-idempotency-key': key }) }
  const answer = await send<ErrorAnswer>(fixture.on.url, `/v1${api.path}`, { method: 'POST', headers, body })
  return answer.body.error?.farebox?.code ?? answer.status
}

const refusals: readonly (readonly [ErrorCode, (api: CompatApi) => Promise<unknown>])[] = [
  [
    'INVALID_PAYLOAD',
    async api => call(api, await fixture.credential(), { ...bodyOf(api), model: undefined }),
  ],
  ['INVALID_REQUEST', async api => call(api, await fixture.credential(), bodyOf(api), 'k'.repeat(256))],
  ['SERVICE_NOT_FOUND', async api => call(api, await fixture.credential(), bodyOf(api, { model: 'none' }))],
  [
    'SERVICE_NOT_ALLOWED',
    async api => call(api, await fixture.credential({ allowedServices: [] }), bodyOf(api)),
  ],
  [
    'LLM_AUTO_HOLD_LIMIT_EXCEEDED',
    async api => {
      const excess = api.path === '/embeddings' ? { input: 'x'.repeat(9_000) } : { [api.limit]: 9_000_000 }
      return call(api, await fixture.credential(), bodyOf(api, excess))
    },
  ],
  [
    'BUDGET_EXHAUSTED',
    async api => call(api, await fixture.credential({ creditLimit: '0.000001' }), bodyOf(api)),
  ],
  [
    'RATE_LIMITED',
    async api => {
      const credential = await fixture.credential({ rpm: 1 })
      await call(api, credential, bodyOf(api))
      return call(api, credential, bodyOf(api))
    },
  ],
  [
    'IDEMPOTENCY_CONFLICT',
    async api => {
      const credential = await fixture.credential()
      await call(api, credential, bodyOf(api), 'key')
      return call(api, credential, bodyOf(api, { temperature: 1 }), 'key')
    },
  ],
  [
    'LIMIT_EXCEEDED',
    async api => {
      const headers = { 'x-credential': (await fixture.credential()).token, 'farebox-max-cost-usdc': '0' }
      const answer = await send<ErrorAnswer>(fixture.on.url, `/v1${api.path}`, {
        method: 'POST',
        headers,
        body: bodyOf(api),
      })
      return answer.body.error?.farebox?.code
    },
  ],
  [
    'UPSTREAM_ERROR',
    async api => {
      fixture.provider.bend({ status: 500, body: { error: { message: 'No.' } } })
      return call(api, await fixture.credential(), bodyOf(api))
    },
  ],
]

describe.each(apis)('POST /v1$path', api => {
  test('answers with the completion of the model', async () => {
    expect(await call(api, await fixture.credential(), bodyOf(api))).toBe(200)
  })

  test.each(refusals)('refuses with %s in its own shape', async (code, provoke) => {
    expect(await provoke(api)).toBe(code)
  })

  test('a key whose call runs is IDEMPOTENCY_IN_PROGRESS, and one whose gateway died GATEWAY_INTERRUPTED', async () => {
    fixture.provider.bend({ stallBeforeHead: true })
    const credential = await fixture.credential()
    const first = call(api, credential, bodyOf(api), 'key')
    await until('the provider is asked', () => fixture.provider.inFlight > 0)
    expect(await call(api, credential, bodyOf(api), 'key')).toBe('IDEMPOTENCY_IN_PROGRESS')
    await interruptCall(fixture.on, credential)
    fixture.provider.release()
    expect(await first).toBe('GATEWAY_INTERRUPTED')
    expect(await call(api, credential, bodyOf(api), 'key')).toBe('GATEWAY_INTERRUPTED')
  })
})

test('an unknown model is SERVICE_NOT_FOUND', async () => {
  const headers = { 'x-credential': (await fixture.credential()).token }
  const { status, body } = await send<ErrorAnswer>(fixture.on.url, '/v1/models/none', { headers })
  expect([status, body.error?.farebox?.code]).toEqual([404, 'SERVICE_NOT_FOUND'])
})
