import Anthropic, { APIError, APIUserAbortError } from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { balanceOf } from '../kit/world/world.ts'
import { billIn, type ModelFixture, microsOf, postTo, raisedAs, startModelFixture } from './model-fixture.ts'

const MODEL = 'claude-like'
const ask = {
  model: MODEL,
  max_tokens: 200,
  messages: [{ role: 'user' as const, content: 'Tell me of the sea.' }],
}
const weather = {
  name: 'get_weather',
  description: 'The weather somewhere.',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
}

let fixture: ModelFixture
let modelId: string
let credential: { token: string; id: string }
let client: Anthropic

beforeAll(async () => {
  fixture = await startModelFixture()
  modelId = await fixture.offer(MODEL, '/v1/messages', { llmDialect: 'anthropic' })
  await fixture.offer('chat-model', '/v1/chat/completions')
})
beforeEach(async () => {
  credential = await fixture.credential()
  client = clientOf(credential.token)
  fixture.provider.bend({})
})
afterEach(() => fixture.assertCharges())
afterAll(() => fixture.stop())

/** The official client with nothing changed but what every user sets: key and base URL. */
function clientOf(apiKey: string, options: { maxRetries?: number } = {}): Anthropic {
  return new Anthropic({ apiKey, baseURL: fixture.on.url, ...options })
}

const postPlain = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  postTo(fixture.on, path, body, { 'x-api-key': credential.token, ...headers })

const raised = (asked: Promise<unknown>) => raisedAs<APIError>(APIError, asked)

describe('a message', () => {
  test('is passed on from the provider, with its bill in the headers', async () => {
    const before = await balanceOf(fixture.on, fixture.owner)
    const { data, response, request_id } = await client.messages.create(ask).withResponse()
    const { tokens, body } = fixture.provider.call()
    expect(data.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/./) })
    expect(data.usage).toMatchObject({ input_tokens: tokens?.input, output_tokens: tokens?.output })
    expect(body).toEqual(ask)
    expect(request_id).toMatch(/^req_/)

    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    expect(response.headers.get('farebox-invocation-id')).toBe(call.id)
    expect(microsOf(response.headers.get('farebox-charged-usdc'))).toBe(BigInt(call.charged))
    expect(microsOf(response.headers.get('farebox-hold-usdc'))).toBe(BigInt(call.hold))
    const after = await balanceOf(fixture.on, fixture.owner)
    expect(after.available).toBe(before.available - BigInt(call.charged))
  })

  test('accepts a bearer token as credential, and a service id as model', async () => {
    const bearer = new Anthropic({ apiKey: null, authToken: credential.token, baseURL: fixture.on.url })
    const { content } = await bearer.messages.create({ ...ask, model: modelId })
    expect(content).toHaveLength(1)
    const { content: beta } = await client.beta.messages.create({ ...ask, betas: ['some-beta-2025-01-01'] })
    expect(beta).toHaveLength(1)
  })

  test('uses tools and takes their results', async () => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Use get_weather for Paris.' }]
    const first = await client.messages.create({ ...ask, messages, tools: [weather] })
    const use = first.content.find(block => block.type === 'tool_use')
    if (use === undefined) throw new Error('No tool was used.')
    expect(first.stop_reason).toBe('tool_use')
    expect(use.input).toHaveProperty('city')
    expect(fixture.provider.call().body?.tools).toEqual([weather])

    const streamed = await client.messages.stream({ ...ask, messages, tools: [weather] }).finalMessage()
    expect(streamed.content.find(block => block.type === 'tool_use')).toMatchObject({ name: 'get_weather' })

    const result = { type: 'tool_result' as const, tool_use_id: use.id, content: '17 degrees' }
    messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [result] })
    const after = await client.messages.create({ ...ask, messages, tools: [weather] })
    expect(after.stop_reason).toBe('end_turn')
    expect(fixture.provider.call().body?.messages).toEqual(messages)
  })
})

describe('a streamed message', () => {
  test('arrives as it is sent', async () => {
    fixture.provider.bend({ stallAfterEvents: 5 })
    const stream = client.messages.stream(ask)
    let events = 0
    stream.on('streamEvent', () => {
      events += 1
      if (events === 4) fixture.provider.release()
    })
    const message = await stream.finalMessage()
    const { tokens } = fixture.provider.call()
    expect(message.usage.output_tokens).toBe(tokens?.output)
    expect(message.stop_reason).not.toBeNull()
    await fixture.bookedCall(credential, 'SUCCEEDED')
  })

  test('ends with the bill and then message_stop', async () => {
    const answer = await postPlain('/messages', { ...ask, stream: true })
    const text = await answer.text()
    expect(text).toMatch(/\n\n: farebox \{.*\}\n\nevent: message_stop\ndata: .*\n\n$/)
    expect(text).not.toContain('[DONE]')
    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    const bill = billIn(text)
    expect(microsOf(bill.chargedUsdc)).toBe(BigInt(call.charged))
    expect(microsOf(bill.releasedUsdc)).toBe(BigInt(call.hold) - BigInt(call.charged))
    expect(answer.headers.get('farebox-invocation-id')).toBe(call.id)
    expect(answer.headers.get('farebox-hold-usdc')).toBe(bill.holdUsdc)
    expect(answer.headers.get('request-id')).toMatch(/^req_/)
  })

  test('that is aborted is read to its end and charged once', async () => {
    fixture.provider.bend({ stallAfterEvents: 5 })
    const stream = client.messages.stream(ask)
    stream.on('text', () => stream.abort())
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(APIUserAbortError)
    fixture.provider.release()
    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    expect(fixture.provider.call()).toMatchObject({ hungUp: false, isDone: true })
    expect(call.output_tokens).toBe(String(fixture.provider.call().tokens?.output))
    expect(await fixture.countCalls(credential)).toBe(1)
  })

  test('that is cut raises an error and never ends normally', async () => {
    fixture.provider.bend({ cutAfterEvents: 5 })
    const error = await raised(client.messages.stream(ask).finalMessage())
    expect(error).toMatchObject({ type: 'api_error' })
    const call = await fixture.bookedCall(credential, 'PROCESSING')
    expect(error.error).toMatchObject({
      type: 'error',
      error: { farebox: { reason: 'stream_cut', invocationId: call.id, status: 'PROCESSING' } },
    })
    expect(call.charged).toBe('0')
  })

  test("that the provider breaks off ends with the provider's error", async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const raw = `event: error\ndata: ${JSON.stringify(overloaded)}\n\n`
    fixture.provider.bend({ inject: [{ afterEvents: 4, raw }], endAfterEvents: 4 })
    const error = await raised(client.messages.stream(ask).finalMessage())
    expect(error).toMatchObject({ type: 'overloaded_error' })
    await fixture.bookedCall(credential, 'PROCESSING')
  })

  test('is replayed for the same key, free of charge', async () => {
    const headers = { 'idempotency-key': 'key-1' }
    const first = await (await postPlain('/messages', { ...ask, stream: true }, headers)).text()
    const calls = fixture.provider.calls.length
    const again = await postPlain('/messages', { ...ask, stream: true }, headers)
    expect(await again.text()).toBe(first)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(fixture.provider.calls).toHaveLength(calls)
    await fixture.bookedCall(credential, 'SUCCEEDED')
  })
})

describe('errors', () => {
  test('an invalid credential is an AuthenticationError', async () => {
    const error = await raised(clientOf('sk-ant-somebody-elses').messages.create(ask))
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(error.type).toBe('authentication_error')
    expect(error.requestID).toMatch(/^req_/)
  })

  test('an unknown model is a NotFoundError, which names the right API if there is one', async () => {
    for (const [model, words] of [
      ['no-such-model', "'no-such-model' does not exist"],
      ['chat-model', '/v1/chat/completions'],
    ] as const) {
      const error = await raised(client.messages.create({ ...ask, model }))
      expect(error).toBeInstanceOf(Anthropic.NotFoundError)
      expect(error.type).toBe('not_found_error')
      expect(error.message).toContain(words)
    }
  })

  test('an invalid request is a BadRequestError', async () => {
    const error = await raised(client.messages.create({ ...ask, max_tokens: 0.5 }))
    expect(error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(error.message).toContain('max_tokens')
  })

  test('an exhausted budget is a billing_error, which no client retries', async () => {
    const poor = await fixture.credential({ maxCalls: 1 })
    await clientOf(poor.token).messages.create(ask)
    const error = await raised(clientOf(poor.token).messages.create(ask))
    expect(error).toMatchObject({ status: 402, type: 'billing_error' })
    expect(error.error).toMatchObject({ error: { farebox: { limit: 'credential_calls' } } })
  })

  test('the rate limit is a RateLimitError with the time to wait', async () => {
    const slow = await fixture.credential({ rpm: 1 })
    const hasty = clientOf(slow.token, { maxRetries: 0 })
    await hasty.messages.create(ask)
    const error = await raised(hasty.messages.create(ask))
    expect(error).toBeInstanceOf(Anthropic.RateLimitError)
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0)
  })

  test("passes on a provider's error about the request unchanged", async () => {
    const said = { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long' } }
    fixture.provider.bend({ status: 400, body: said })
    const error = await raised(client.messages.create(ask))
    expect(error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(error.message).toContain('prompt is too long')
    fixture.provider.bend({ status: 500, body: 'broken' })
    const broken = await raised(clientOf(credential.token, { maxRetries: 0 }).messages.create(ask))
    expect(broken).toMatchObject({ status: 502, type: 'api_error' })
  })

  test('uses the same shape for errors before anything is read', async () => {
    const shape = { type: 'error', error: { type: expect.any(String) }, request_id: expect.any(String) }
    const answers = {
      400: await postPlain('/messages', '{"model":'),
      413: await postPlain('/messages', { ...ask, text: 'x'.repeat(1_100_000) }),
      415: await postPlain('/messages', 'model', { 'content-type': 'text/plain' }),
      404: await postPlain('/messages/batches', ask),
      405: await fetch(`${fixture.on.url}/v1/messages`),
    }
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer.status).toBe(Number(status))
      expect(await answer.json()).toMatchObject(shape)
      expect(answer.headers.get('request-id')).toMatch(/^req_/)
    }
  })
})

describe('the model list', () => {
  test('has the models that this API can call, in pages in both directions', async () => {
    for (const name of ['claude-a', 'claude-b']) {
      await fixture.offer(name, '/v1/messages', { llmDialect: 'anthropic' })
    }
    const all = await client.models.list()
    expect(all.data.map(({ id }) => id)).toEqual(['claude-a', 'claude-b', MODEL])
    expect(all).toMatchObject({ has_more: false, first_id: 'claude-a', last_id: MODEL })
    expect(all.data[0]).toMatchObject({ type: 'model', display_name: 'Model claude-a' })

    const ids: string[] = []
    for await (const { id } of client.models.list({ limit: 1 })) ids.push(id)
    expect(ids).toEqual(['claude-a', 'claude-b', MODEL])
    const back = await client.models.list({ limit: 1, before_id: MODEL })
    expect(back.data.map(({ id }) => id)).toEqual(['claude-b'])
    expect(back.has_more).toBe(true)
  })

  test('returns single models, but none of other kinds', async () => {
    expect(await client.models.retrieve(modelId)).toMatchObject({ id: MODEL, type: 'model' })
    for (const name of ['chat-model', 'none']) {
      expect(await raised(client.models.retrieve(name))).toBeInstanceOf(Anthropic.NotFoundError)
    }
    expect(await raised(client.models.list({ limit: 'many' as unknown as number }))).toBeInstanceOf(
      Anthropic.BadRequestError,
    )
  })
})
