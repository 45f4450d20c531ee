import type { ErrorCode } from '@farebox/wire/errors'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { interruptCall } from '../kit/gateway/interrupt-call.ts'
import { send } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { type ModelScene, startModelScene } from './model-scene.ts'

/** What is told of an error in either API's shape. */
type Told = { readonly error?: { readonly farebox?: { readonly code: ErrorCode } } }

const MESSAGES = [{ role: 'user', content: 'Go on.' }]

const doors = [
  { path: '/chat/completions', model: 'chat-model', limit: 'max_tokens', prompt: { messages: MESSAGES } },
  { path: '/responses', model: 'chat-model', limit: 'max_output_tokens', prompt: { input: 'Go on.' } },
  { path: '/messages', model: 'claude-model', limit: 'max_tokens', prompt: { messages: MESSAGES } },
] as const
type Door = (typeof doors)[number]

let scene: ModelScene
beforeAll(async () => {
  scene = await startModelScene()
  await scene.offer('chat-model', '/v1/chat/completions')
  await scene.offer('claude-model', '/v1/messages', { llmDialect: 'anthropic' })
})
afterEach(() => scene.provider.bend({}))
afterAll(() => scene.stop())

const bodyOf = ({ model, prompt, limit }: Door, more: object = {}) => ({
  model,
  ...prompt,
  [limit]: 8,
  ...more,
})

async function call(door: Door, credential: { token: string }, body: object, key?: string) {
  const headers = { 'x-credential': credential.token, ...(key !== undefined && { 'x-idempotency-key': key }) }
  const answer = await send<Told>(scene.on.url, `/v1${door.path}`, { method: 'POST', headers, body })
  return answer.body.error?.farebox?.code ?? answer.status
}

const refusals: readonly (readonly [ErrorCode, (door: Door) => Promise<unknown>])[] = [
  [
    'INVALID_PAYLOAD',
    async door => call(door, await scene.credential(), { ...bodyOf(door), model: undefined }),
  ],
  ['INVALID_REQUEST', async door => call(door, await scene.credential(), bodyOf(door), 'k'.repeat(256))],
  ['SERVICE_NOT_FOUND', async door => call(door, await scene.credential(), bodyOf(door, { model: 'none' }))],
  [
    'SERVICE_NOT_ALLOWED',
    async door => call(door, await scene.credential({ allowedServices: [] }), bodyOf(door)),
  ],
  [
    'LLM_AUTO_HOLD_LIMIT_EXCEEDED',
    async door => call(door, await scene.credential(), bodyOf(door, { [door.limit]: 9_000_000 })),
  ],
  [
    'BUDGET_EXHAUSTED',
    async door => call(door, await scene.credential({ creditLimit: '0.000001' }), bodyOf(door)),
  ],
  [
    'RATE_LIMITED',
    async door => {
      const credential = await scene.credential({ rpm: 1 })
      await call(door, credential, bodyOf(door))
      return call(door, credential, bodyOf(door))
    },
  ],
  [
    'IDEMPOTENCY_CONFLICT',
    async door => {
      const credential = await scene.credential()
      await call(door, credential, bodyOf(door), 'key')
      return call(door, credential, bodyOf(door, { temperature: 1 }), 'key')
    },
  ],
  [
    'UPSTREAM_ERROR',
    async door => {
      scene.provider.bend({ status: 500, body: { error: { message: 'No.' } } })
      return call(door, await scene.credential(), bodyOf(door))
    },
  ],
]

describe.each(doors)('POST /v1$path', door => {
  test('answers with the completion of the model', async () => {
    expect(await call(door, await scene.credential(), bodyOf(door))).toBe(200)
  })

  test.each(refusals)('refuses with %s in its own shape', async (code, provoke) => {
    expect(await provoke(door)).toBe(code)
  })

  test('a key whose call runs is IDEMPOTENCY_IN_PROGRESS, and one whose gateway died GATEWAY_INTERRUPTED', async () => {
    scene.provider.bend({ stallBeforeHead: true })
    const credential = await scene.credential()
    const first = call(door, credential, bodyOf(door), 'key')
    await until('the provider is asked', () => scene.provider.inFlight > 0)
    expect(await call(door, credential, bodyOf(door), 'key')).toBe('IDEMPOTENCY_IN_PROGRESS')
    await interruptCall(scene.on, credential)
    scene.provider.release()
    expect(await first).toBe('GATEWAY_INTERRUPTED')
    expect(await call(door, credential, bodyOf(door), 'key')).toBe('GATEWAY_INTERRUPTED')
  })
})

test('a model that is not there is SERVICE_NOT_FOUND', async () => {
  const headers = { 'x-credential': (await scene.credential()).token }
  const { status, body } = await send<Told>(scene.on.url, '/v1/models/none', { headers })
  expect([status, body.error?.farebox?.code]).toEqual([404, 'SERVICE_NOT_FOUND'])
})
