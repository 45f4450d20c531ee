import OpenAI, { APIError, APIUserAbortError } from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { arrive, balanceOf, register } from '../kit/world/world.ts'
import { billIn, type ModelFixture, microsOf, postTo, raisedAs, startModelFixture } from './model-fixture.ts'

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

let fixture: ModelFixture
let echo: TestProvider
let echoId: string
let chatId: string
let credential: { token: string; id: string }
let client: OpenAI

beforeAll(async () => {
  ;[fixture, echo] = await Promise.all([startModelFixture(), startProvider()])
  chatId = await fixture.offer(CHAT, '/v1/chat/completions')
  await fixture.offer('claude-like', '/v1/messages', { llmDialect: 'anthropic' })
  echoId = await register(fixture.on, await arrive(fixture.on), {
    targets: [echo.url],
    priceUsdc: '0.01',
    manifest: { agentToolName: 'echo' },
  })
})
beforeEach(async () => {
  credential = await fixture.credential()
  client = clientOf(credential.token)
  fixture.provider.bend({})
})
afterEach(() => fixture.assertCharges())
afterAll(async () => {
  await Promise.all([fixture.stop(), echo.stop()])
})

/** The official client with nothing changed but what every user sets: key and base URL. */
function clientOf(apiKey: string, options: { maxRetries?: number } = {}): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${fixture.on.url}/v1`, ...options })
}

const postPlain = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  postTo(fixture.on, path, body, { authorization: `Bearer ${credential.token}`, ...headers })

const raised = (asked: Promise<unknown>) => raisedAs<APIError>(APIError, asked)

describe('a chat completion', () => {
  test('is passed on byte for byte, with its bill in the headers', async () => {
    const before = await balanceOf(fixture.on, fixture.owner)
    const { data, response } = await client.chat.completions.create(ask).withResponse()
    const { tokens, body } = fixture.provider.call()
    expect(data.object).toBe('chat.completion')
    expect(data.choices[0]?.message.content).not.toBe('')
    expect(data.usage).toMatchObject({ prompt_tokens: tokens?.input, completion_tokens: tokens?.output })
    expect(body).toMatchObject(ask)

    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    const { headers } = response
    expect(headers.get('farebox-invocation-id')).toBe(call.id)
    expect(microsOf(headers.get('farebox-charged-usdc'))).toBe(BigInt(call.charged))
    expect(microsOf(headers.get('farebox-hold-usdc'))).toBe(BigInt(call.hold))
    expect(headers.get('ratelimit')).toMatch(/^"rpm";r=\d+;t=\d+$/)
    expect(headers.get('idempotent-replayed')).toBeNull()
    const after = await balanceOf(fixture.on, fixture.owner)
    expect(after.available).toBe(before.available - BigInt(call.charged))
    expect(after.held).toBe(before.held)
  })

  test('preserves digits and members that the gateway does not know', async () => {
    const text =
      '{ "object":"chat.completion", "seed": 12345678901234567890, "choices":[ ],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}'
    fixture.provider.bend({ status: 200, body: text, contentType: 'application/json' })
    const answer = await postPlain('/chat/completions', { ...ask, metadata: { mine: [1, { a: null }] } })
    expect(await answer.text()).toBe(text.replace('2}}', '2,"cost":0.000013}}'))
    expect(fixture.provider.call().body).toMatchObject({ metadata: { mine: [1, { a: null }] } })
    saidTokens(1, 1)
  })

  test('of a rate-limited provider passes on its Retry-After', async () => {
    fixture.provider.bend({
      status: 429,
      headers: { 'retry-after': '17' },
      body: { error: { message: 'Slowly.' } },
    })
    const answer = await postPlain('/chat/completions', ask)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '17'])
    expect(await answer.json()).toMatchObject({
      error: { message: 'The provider answered 429: Slowly.', farebox: { retryAfterSeconds: 17 } },
    })
  })

  test('accepts the service id as model, and x-api-key as credential', async () => {
    const answer = await postPlain(
      '/chat/completions',
      { ...ask, model: chatId },
      {
        authorization: '',
        'x-api-key': credential.token,
      },
    )
    expect(answer.status).toBe(200)
    expect(fixture.provider.call().body).toMatchObject({ model: chatId })
  })

  test('calls tools and takes their results', async () => {
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
    expect(fixture.provider.call().body?.tools).toEqual(tools)

    const streamed = client.chat.completions.stream({ model: CHAT, messages, tools })
    const final = await streamed.finalChatCompletion()
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'get_weather' } })

    messages.push(message, { role: 'tool', tool_call_id: call.id, content: '{"degrees":17}' })
    const after = await client.chat.completions.create({ model: CHAT, messages, tools })
    expect(after.choices[0]).toMatchObject({ finish_reason: 'stop' })
    expect(fixture.provider.call().body?.messages).toEqual(messages)
  })
})

/** For a call that was answered by hand: what the provider said that it used. */
function saidTokens(input: number, output: number): void {
  fixture.provider.call().tokens = { input, output }
}

describe('a streamed chat completion', () => {
  test('arrives as it is sent, with its bill in a comment that the client ignores', async () => {
    fixture.provider.bend({ stallAfterEvents: 5 })
    const stream = await client.chat.completions.create({ ...ask, stream: true })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) {
      chunks.push(chunk)
      if (chunks.length === 5) fixture.provider.release()
    }
    expect(chunks.length).toBeGreaterThan(5)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true)
    expect(fixture.provider.call().body?.stream_options).toEqual({ include_usage: true })
    expect(await fixture.bookedCall(credential, 'SUCCEEDED')).toMatchObject({
      output_tokens: String(fixture.provider.call().tokens?.output),
    })
  })

  test('ends with the bill and then [DONE], with call and hold in its headers', async () => {
    const answer = await postPlain('/chat/completions', { ...ask, stream: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('ratelimit')).toMatch(/^"rpm"/)
    const text = await answer.text()
    expect(text).toMatch(/\n\n: farebox \{.*\}\n\ndata: \[DONE\]\n\n$/)
    expect(text).not.toContain('event: gateway')
    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    const bill = billIn(text)
    const { tokens } = fixture.provider.call()
    expect(bill).toMatchObject({
      invocationId: call.id,
      status: 'SUCCEEDED',
      usage: { inputTokens: tokens?.input, outputTokens: tokens?.output },
    })
    expect(microsOf(bill.chargedUsdc)).toBe(BigInt(call.charged))
    expect(microsOf(bill.holdUsdc)).toBe(BigInt(call.hold))
    expect(microsOf(bill.releasedUsdc)).toBe(BigInt(call.hold) - BigInt(call.charged))
    expect(answer.headers.get('farebox-invocation-id')).toBe(call.id)
    expect(answer.headers.get('farebox-hold-usdc')).toBe(bill.holdUsdc)
  })

  test('sends its usage on request', async () => {
    const stream = client.chat.completions.stream({ ...ask, stream_options: { include_usage: true } })
    const { usage } = await stream.finalChatCompletion()
    const { tokens } = fixture.provider.call()
    expect(usage).toMatchObject({ prompt_tokens: tokens?.input, completion_tokens: tokens?.output })
  })

  test('is read to its end and charged once when its caller leaves', async () => {
    fixture.provider.bend({ stallAfterEvents: 4 })
    const stream = await client.chat.completions.create({ ...ask, stream: true })
    let chunks = 0
    for await (const _chunk of stream) {
      chunks += 1
      if (chunks === 3) break
    }
    fixture.provider.release()
    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    expect(fixture.provider.call()).toMatchObject({ hungUp: false, isDone: true })
    expect(call.output_tokens).toBe(String(fixture.provider.call().tokens?.output))
    expect(await fixture.countCalls(credential)).toBe(1)
  })

  test('is read to its end and charged once when the client aborts it', async () => {
    fixture.provider.bend({ stallAfterEvents: 4 })
    const controller = new AbortController()
    const stream = client.chat.completions.stream(ask, { signal: controller.signal })
    stream.on('chunk', () => controller.abort())
    await expect(stream.finalChatCompletion()).rejects.toBeInstanceOf(APIUserAbortError)
    fixture.provider.release()
    await fixture.bookedCall(credential, 'SUCCEEDED')
  })

  test('that is cut raises an error, and its hold waits for the usage', async () => {
    fixture.provider.bend({ cutAfterEvents: 4 })
    const stream = await client.chat.completions.create({ ...ask, stream: true })
    const chunks: unknown[] = []
    const error = await raised(
      (async () => {
        for await (const chunk of stream) chunks.push(chunk)
      })(),
    )
    expect(chunks).toHaveLength(4)
    expect(error).toMatchObject({ code: 'upstream_error', type: 'api_error' })
    const call = await fixture.bookedCall(credential, 'PROCESSING')
    expect(error.error).toMatchObject({ farebox: { invocationId: call.id, status: 'PROCESSING' } })
    expect(call).toMatchObject({ charged: '0' })
  })

  test('that is cut after its usage is charged, but still raises an error', async () => {
    fixture.provider.bend({ cutAfterUsage: true })
    const answer = await postPlain('/chat/completions', { ...ask, stream: true })
    const text = await answer.text()
    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    expect(text).toMatch(/: farebox .*\n\ndata: \{"error":.*\}\n\n$/)
    expect(microsOf(billIn(text).chargedUsdc)).toBe(BigInt(call.charged))
  })

  test('from a provider that answers in one piece is sent as events, and charged', async () => {
    const message = { role: 'assistant', content: 'Hello', refusal: null }
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const whole = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: CHAT,
      usage,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    }
    fixture.provider.bend({ status: 200, body: whole })
    const headers = { 'idempotency-key': 'key-0' }
    const answer = await postPlain('/chat/completions', { ...ask, stream: true }, headers)
    expect(answer.headers.get('farebox-hold-usdc')).not.toBeNull()
    expect(answer.headers.get('ratelimit')).toMatch(/^"rpm"/)
    const text = await answer.text()
    saidTokens(3, 2)
    expect(text).toMatch(/\n\n: farebox \{.*\}\n\ndata: \[DONE\]\n\n$/)
    expect(text).not.toContain('prompt_tokens')
    const again = client.chat.completions.stream(ask, { headers })
    expect((await again.finalChatCompletion()).choices[0]?.message.content).toBe('Hello')
    await fixture.bookedCall(credential, 'SUCCEEDED')
  })

  test("cannot be forged by the provider: its own 'bill' and end mark are removed", async () => {
    const forged = ': farebox {"chargedUsdc":"0.000000"}\n\ndata: [DONE]\n\n'
    fixture.provider.bend({ inject: [{ afterEvents: 2, raw: ': farebox {"chargedUsdc":"0.000000"}\n\n' }] })
    const text = await (await postPlain('/chat/completions', { ...ask, stream: true })).text()
    expect(text).not.toContain(forged)
    expect(text.match(/: farebox/g)).toHaveLength(1)
    expect(text.match(/\[DONE\]/g)).toHaveLength(1)
  })
})

describe('a response', () => {
  const input = 'Tell me of the sea.'

  test('arrives whole', async () => {
    const { data, response } = await client.responses.create({ model: CHAT, input }).withResponse()
    expect(fixture.provider.call().url).toBe('/v1/responses')
    expect(data.output_text).not.toBe('')
    const { tokens } = fixture.provider.call()
    expect(data.usage).toMatchObject({ input_tokens: tokens?.input, output_tokens: tokens?.output })
    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    expect(microsOf(response.headers.get('farebox-charged-usdc'))).toBe(BigInt(call.charged))
  })

  test('arrives as a stream that ends with response.completed, after its bill', async () => {
    const whole = await client.responses.stream({ model: CHAT, input }).finalResponse()
    expect(whole.status).toBe('completed')
    expect(whole.output_text).not.toBe('')
    const text = await (await postPlain('/responses', { model: CHAT, input, stream: true })).text()
    expect(text).toMatch(/\n\n: farebox \{.*\}\n\nevent: response\.completed\ndata: .*\n\n$/)
  })

  test('calls tools and takes their results', async () => {
    const tools = [{ type: 'function' as const, strict: true, ...weather }]
    const asked = [{ role: 'user' as const, content: 'Use get_weather for Paris.' }]
    const { output } = await client.responses.stream({ model: CHAT, input: asked, tools }).finalResponse()
    const call = output.find(item => item.type === 'function_call')
    if (call === undefined) throw new Error('No tool was called.')
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: '{"degrees":17}' }
    const sent = {
      type: 'function_call' as const,
      call_id: call.call_id,
      name: call.name,
      arguments: call.arguments,
    }
    const after = await client.responses.create({ model: CHAT, input: [...asked, sent, result], tools })
    expect(after.output_text).not.toBe('')
    expect(fixture.provider.call().body?.input).toEqual([...asked, sent, result])
  })

  test('that is cut raises an error and never completes', async () => {
    fixture.provider.bend({ cutAfterEvents: 5 })
    const stream = await client.responses.create({ model: CHAT, input, stream: true })
    const types: string[] = []
    const error = await raised(
      (async () => {
        for await (const event of stream) types.push(event.type)
      })(),
    )
    expect(types).toHaveLength(5)
    expect(error.code).toBe('upstream_error')
    await fixture.bookedCall(credential, 'PROCESSING')
  })

  test('without its usage never completes', async () => {
    fixture.provider.bend({ usage: { replaceBy: undefined } })
    const text = await (await postPlain('/responses', { model: CHAT, input, stream: true })).text()
    expect(text).not.toContain('response.completed')
    expect(text).toMatch(/event: error\ndata: .*\n\n$/)
    await fixture.bookedCall(credential, 'PROCESSING')
  })
})

describe('an idempotency key', () => {
  test('replays the answer free of charge', async () => {
    const options = { headers: { 'idempotency-key': 'key-1' } }
    const first = await client.chat.completions.create(ask, options).withResponse()
    const calls = fixture.provider.calls.length
    const again = await client.chat.completions.create(ask, options).withResponse()
    expect(again.data).toEqual(first.data)
    expect(again.response.headers.get('idempotent-replayed')).toBe('true')
    for (const name of ['farebox-invocation-id', 'farebox-charged-usdc', 'farebox-hold-usdc']) {
      expect(again.response.headers.get(name)).toBe(first.response.headers.get(name))
    }
    expect(fixture.provider.calls).toHaveLength(calls)
    await fixture.bookedCall(credential, 'SUCCEEDED')
  })

  test('replays the stream free of charge', async () => {
    const headers = { 'x-idempotency-key': 'key-2' }
    const first = await (await postPlain('/chat/completions', { ...ask, stream: true }, headers)).text()
    const calls = fixture.provider.calls.length
    const again = await postPlain('/chat/completions', { ...ask, stream: true }, headers)
    expect(await again.text()).toBe(first)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(fixture.provider.calls).toHaveLength(calls)
    await fixture.bookedCall(credential, 'SUCCEEDED')
  })

  test('is refused for another request, and the client does not retry', async () => {
    const options = { headers: { 'idempotency-key': 'key-3' } }
    await client.chat.completions.create(ask, options)
    const other = { ...ask, temperature: 0.5 }
    const error = await raised(client.chat.completions.create(other, options))
    expect(error).toBeInstanceOf(OpenAI.ConflictError)
    expect(error.code).toBe('idempotency_conflict')
  })

  test('of a stream that is no longer stored is a conflict, not an empty answer', async () => {
    const headers = { 'idempotency-key': 'key-4' }
    await (await postPlain('/chat/completions', { ...ask, stream: true }, headers)).text()
    const { id } = await fixture.bookedCall(credential, 'SUCCEEDED')
    await fixture.on.sql('delete from invocation_streams where invocation_id = $1', [id])
    const again = await postPlain('/chat/completions', { ...ask, stream: true }, headers)
    expect(again.status).toBe(409)
    expect(await again.json()).toMatchObject({
      error: { farebox: { invocationId: id, status: 'SUCCEEDED' } },
    })
  })
})

describe('errors', () => {
  test('an invalid credential is an AuthenticationError', async () => {
    const wrong = `${credential.token.slice(0, -1)}${credential.token.endsWith('x') ? 'y' : 'x'}`
    for (const apiKey of ['sk-somebody-elses', wrong]) {
      const error = await raised(clientOf(apiKey).chat.completions.create(ask))
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
      expect(error.code).toBe('invalid_api_key')
    }
    const listed = await raised(clientOf('none').models.list())
    expect(listed).toBeInstanceOf(OpenAI.AuthenticationError)
  })

  test('an unknown model is a NotFoundError, which names the right API if there is one', async () => {
    const messageOf = async (model: string) => {
      const error = await raised(client.chat.completions.create({ ...ask, model }))
      expect(error).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error).toMatchObject({ code: 'model_not_found', param: 'model', type: 'invalid_request_error' })
      return error.message
    }
    expect(await messageOf('gpt-4o')).toContain("'gpt-4o' does not exist")
    expect(await messageOf('claude-like')).toContain('/v1/messages')
    expect(await messageOf('echo')).toContain('/api/v1/agent/invoke')
    expect(await messageOf(echoId)).toContain('/api/v1/agent/invoke')
    expect(await fixture.countCalls(credential)).toBe(0)
  })

  test('an invalid request is a BadRequestError that names the member', async () => {
    const paramOf = async (body: object) => {
      const error = await raised(client.chat.completions.create(body as typeof ask))
      expect(error).toBeInstanceOf(OpenAI.BadRequestError)
      expect(error.type).toBe('invalid_request_error')
      return error.param
    }
    expect(await paramOf({ messages: [] })).toBe('model')
    expect(await paramOf({ model: 7, messages: [] })).toBe('model')
    expect(await paramOf({ model: CHAT })).toBe('messages')
    expect(await paramOf({ ...ask, stream: 'yes' })).toBe('stream')
    expect(await paramOf({ ...ask, max_tokens: -1 })).toBe('max_tokens')
    const noInput = await postPlain('/responses', { model: CHAT, messages: [] })
    expect(await noInput.json()).toMatchObject({ error: { param: 'input' } })
  })

  test('an exhausted budget is 402, which no client retries', async () => {
    const poor = await fixture.credential({ creditLimit: '0.000001' })
    const error = await raised(clientOf(poor.token).chat.completions.create(ask))
    expect(error).toMatchObject({ status: 402, code: 'insufficient_quota' })
    expect(error.error).toMatchObject({
      farebox: { code: 'BUDGET_EXHAUSTED', limit: 'credential_credit', remainingUsdc: '0.000001' },
    })
  })

  test('too large a hold is an UnprocessableEntityError that names the largest that passes', async () => {
    const error = await raised(client.chat.completions.create({ ...ask, max_tokens: 5_000_000 }))
    expect(error).toBeInstanceOf(OpenAI.UnprocessableEntityError)
    expect(error.error).toMatchObject({ farebox: { affordableMaxTokens: expect.any(Number) } })
  })

  test('the allow-list is a PermissionDeniedError', async () => {
    const narrow = await fixture.credential({ allowedServices: [echoId] })
    const error = await raised(clientOf(narrow.token).chat.completions.create(ask))
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(await clientOf(narrow.token).models.list()).toMatchObject({ data: [] })
  })

  test('the rate limit is a RateLimitError with the time to wait; unreadable requests count too', async () => {
    const slow = await fixture.credential({ rpm: 1 })
    const headers = { authorization: `Bearer ${slow.token}` }
    expect((await postPlain('/chat/completions', '{"model":', headers)).status).toBe(400)
    const error = await raised(clientOf(slow.token, { maxRetries: 0 }).chat.completions.create(ask))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0)
    expect(error.headers?.get('ratelimit')).toMatch(/^"rpm";r=0;t=\d+$/)
  })

  test("passes on a provider's error about the request unchanged", async () => {
    const said = {
      error: { message: 'Too long.', type: 'invalid_request_error', param: 'messages', code: 'long' },
    }
    fixture.provider.bend({ status: 400, body: said })
    const before = fixture.provider.calls.length
    const error = await raised(client.chat.completions.create(ask))
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ param: 'messages', code: 'long' })
    expect(error.message).toContain('Too long.')
    expect(fixture.provider.calls).toHaveLength(before + 1)
    const { available } = await balanceOf(fixture.on, fixture.owner)
    fixture.provider.bend({ status: 401, body: said })
    const other = await raised(client.chat.completions.create({ ...ask, stream: true }))
    expect(other).toMatchObject({ status: 502, code: 'upstream_error' })
    expect((await balanceOf(fixture.on, fixture.owner)).available).toBe(available)
  })

  test('the client retries a failing provider, and pays once', async () => {
    let calls = 0
    fixture.provider.bend(() => {
      calls += 1
      return calls === 1 ? { status: 500, body: 'broken' } : {}
    })
    const { choices } = await client.chat.completions.create(ask)
    expect(choices[0]?.message.content).not.toBe('')
    expect(calls).toBe(2)
    expect(await fixture.countCalls(credential)).toBe(2)
  })

  test('the client does not retry an answer without usage, which may still be charged', async () => {
    fixture.provider.bend({ usage: { replaceBy: undefined } })
    const before = fixture.provider.calls.length
    const error = await raised(client.chat.completions.create(ask))
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    const call = await fixture.bookedCall(credential, 'PROCESSING')
    expect(error.headers?.get('farebox-invocation-id')).toBe(call.id)
    expect(fixture.provider.calls).toHaveLength(before + 1)
  })

  test('uses the same shape for errors before anything is read', async () => {
    const shape = {
      error: { message: expect.any(String), type: expect.any(String), farebox: expect.any(Object) },
    }
    const answers = {
      400: await postPlain('/chat/completions', '{"model":'),
      413: await postPlain('/chat/completions', { ...ask, text: 'x'.repeat(1_100_000) }),
      415: await postPlain('/chat/completions', 'model', { 'content-type': 'text/plain' }),
      404: await postPlain('/edits', ask),
      405: await fetch(`${fixture.on.url}/v1/chat/completions`),
    }
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer.status).toBe(Number(status))
      expect(await answer.json()).toMatchObject(shape)
      expect(answer.headers.get('x-request-id')).not.toBeNull()
    }
    expect(answers[405].headers.get('allow')).toBe('POST')
  })
})

describe('the model list', () => {
  test('has the models that this API can call, by their callable names', async () => {
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual([CHAT])
    expect(data[0]).toMatchObject({ object: 'model', created: expect.any(Number) })
    const one = await client.models.retrieve(chatId)
    expect(one).toEqual(data[0])
  })

  test('has no services of other kinds', async () => {
    for (const name of ['claude-like', 'echo', 'none']) {
      expect(await raised(client.models.retrieve(name))).toBeInstanceOf(OpenAI.NotFoundError)
    }
  })
})
