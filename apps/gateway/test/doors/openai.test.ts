import OpenAI, { APIError, APIUserAbortError } from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../provider.ts'
import { arrive, balanceOf, register, until } from '../world.ts'
import { billIn, type ModelScene, microsOf, startModelScene } from './model-scene.ts'

const CHAT = 'chat-model'
const ask = { model: CHAT, messages: [{ role: 'user' as const, content: 'Tell me of the sea.' }] }
const weather = {
  name: 'get_weather',
  description: 'The weather somewhere.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

let scene: ModelScene
let echo: TestProvider
let echoId: string
let chatId: string
let credential: { token: string; id: string }
let client: OpenAI

beforeAll(async () => {
  ;[scene, echo] = await Promise.all([startModelScene(), startProvider()])
  chatId = await scene.offer(CHAT, '/v1/chat/completions')
  await scene.offer('claude-like', '/v1/messages', { llmDialect: 'anthropic' })
  echoId = await register(scene.on, await arrive(scene.on), {
    targets: [echo.url],
    priceUsdc: '0.01',
    manifest: { agentToolName: 'echo' },
  })
})
beforeEach(async () => {
  credential = await scene.credential()
  client = clientOf(credential.token)
  scene.provider.bend({})
})
afterEach(() => scene.assertCharges())
afterAll(async () => {
  await Promise.all([scene.stop(), echo.stop()])
})

/** The official client with nothing changed but what every user sets: key and base URL. */
function clientOf(apiKey: string, options: { maxRetries?: number } = {}): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${scene.on.url}/v1`, ...options })
}

/** The same request without a client, for what a client does not show. */
function postPlain(path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${scene.on.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential.token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function raised(asked: Promise<unknown>): Promise<APIError> {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof APIError)) throw error ?? new Error('Nothing was raised.')
  return error
}

describe('a chat completion', () => {
  test("is the provider's, byte for byte, with its bill in the headers", async () => {
    const before = await balanceOf(scene.on, scene.owner)
    const { data, response } = await client.chat.completions.create(ask).withResponse()
    const { tokens, body } = scene.provider.call()
    expect(data.object).toBe('chat.completion')
    expect(data.choices[0]?.message.content).not.toBe('')
    expect(data.usage).toMatchObject({ prompt_tokens: tokens?.input, completion_tokens: tokens?.output })
    expect(body).toMatchObject(ask)

    const call = await scene.bookedCall(credential, 'SUCCEEDED')
    const { headers } = response
    expect(headers.get('farebox-invocation-id')).toBe(call.id)
    expect(microsOf(headers.get('farebox-charged-usdc'))).toBe(BigInt(call.charged))
    expect(microsOf(headers.get('farebox-hold-usdc'))).toBe(BigInt(call.hold))
    expect(headers.get('ratelimit')).toMatch(/^"rpm";r=\d+;t=\d+$/)
    expect(headers.get('idempotent-replayed')).toBeNull()
    const after = await balanceOf(scene.on, scene.owner)
    expect(after.available).toBe(before.available - BigInt(call.charged))
    expect(after.held).toBe(before.held)
  })

  test('comes through with the digits and members that the gateway does not know', async () => {
    const text =
      '{ "object":"chat.completion", "seed": 12345678901234567890, "choices":[ ],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}'
    scene.provider.bend({ status: 200, body: text, contentType: 'application/json' })
    const answer = await postPlain('/chat/completions', { ...ask, metadata: { mine: [1, { a: null }] } })
    expect(await answer.text()).toBe(text)
    expect(scene.provider.call().body).toMatchObject({ metadata: { mine: [1, { a: null }] } })
    await forgetCharges()
  })

  test('may name its model by the service id, and may give its credential as x-api-key', async () => {
    const answer = await postPlain(
      '/chat/completions',
      { ...ask, model: chatId },
      {
        authorization: '',
        'x-api-key': credential.token,
      },
    )
    expect(answer.status).toBe(200)
    expect(scene.provider.call().body).toMatchObject({ model: chatId })
  })

  test('calls tools, and takes their results', async () => {
    const tools = [{ type: 'function' as const, function: weather }]
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: 'Use get_weather for Paris.' },
    ]
    const { choices } = await client.chat.completions.create({ model: CHAT, messages, tools })
    const message = choices[0]?.message
    const call = message?.tool_calls?.[0]
    if (message === undefined || call?.type !== 'function') throw new Error('No tool was called.')
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(JSON.parse(call.function.arguments)).toHaveProperty('city')
    expect(scene.provider.call().body?.tools).toEqual(tools)

    const streamed = client.chat.completions.stream({ model: CHAT, messages, tools })
    const final = await streamed.finalChatCompletion()
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'get_weather' } })

    messages.push(message, { role: 'tool', tool_call_id: call.id, content: '{"degrees":17}' })
    const after = await client.chat.completions.create({ model: CHAT, messages, tools })
    expect(after.choices[0]).toMatchObject({ finish_reason: 'stop' })
    expect(scene.provider.call().body?.messages).toEqual(messages)
  })
})

/** The last calls were answered by hand: what they cost is not what the provider counted. */
async function forgetCharges(): Promise<void> {
  const call = scene.provider.call()
  call.tokens = { input: 1, output: 1 }
}
