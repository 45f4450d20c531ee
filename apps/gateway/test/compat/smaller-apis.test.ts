import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { invoke } from '../kit/world/world.ts'
import { type ModelFixture, microsOf, startModelFixture } from './model-fixture.ts'

const EMBEDDINGS = 'embeddings-model'
const CHAT = 'chat-model'
const CLAUDE = 'claude-model'
const TEXTS = ['The ferry leaves at noon.', 'At noon the ferry leaves.', 'Bread costs two coins.']
/** What the stock client says of the API that it speaks. */
const VERSION = expect.stringMatching(/^20\d\d-\d\d-\d\d$/)
const ASK = { model: CLAUDE, messages: [{ role: 'user' as const, content: 'Tell me of the sea.' }] }

let fixture: ModelFixture
let credential: { token: string; id: string }
let openai: OpenAI
let anthropic: Anthropic

beforeAll(async () => {
  fixture = await startModelFixture()
  await fixture.offer(EMBEDDINGS, '/v1/embeddings')
  await fixture.offer(CHAT, '/v1/chat/completions')
  await fixture.offer(CLAUDE, '/v1/messages', { llmDialect: 'anthropic', upstreamModel: 'claude-9' })
})
beforeEach(async () => {
  credential = await fixture.credential()
  openai = new OpenAI({ apiKey: credential.token, baseURL: `${fixture.on.url}/v1`, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey: credential.token, baseURL: fixture.on.url, maxRetries: 0 })
  fixture.provider.bend({})
})
afterEach(() => fixture.assertCharges())
afterAll(() => fixture.stop())

const plain = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${fixture.on.url}/v1${path}`, {
    method: 'POST',
    headers: { 'x-api-key': credential.token, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('embeddings', () => {
  test('work with the stock client, in base64 and as numbers, charged by the input alone', async () => {
    const { data, response } = await openai.embeddings
      .create({ model: EMBEDDINGS, input: TEXTS })
      .withResponse()
    const vectors = data.data.map(({ embedding }) => embedding)
    const nearness = (one: number[] = [], other: number[] = []) =>
      one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
    expect(nearness(vectors[0], vectors[1])).toBeGreaterThan(0.9)
    expect(nearness(vectors[0], vectors[2])).toBeLessThan(0.5)
    expect(fixture.provider.call().body).toEqual({
      model: EMBEDDINGS,
      input: TEXTS,
      encoding_format: 'base64',
    })
    const charged = response.headers.get('farebox-charged-usdc')
    expect(data.usage).toMatchObject({
      total_tokens: fixture.provider.call().tokens?.input,
      cost: Number(charged),
    })
    const call = await fixture.bookedCall(credential, 'SUCCEEDED')
    expect(call).toMatchObject({ charged: String(microsOf(charged)), output_tokens: '0' })

    const floats = await openai.embeddings.create({
      model: EMBEDDINGS,
      input: TEXTS[0] ?? '',
      encoding_format: 'float',
    })
    expect(floats.data[0]?.embedding).toHaveLength(256)
  })

  test('work through POST /agent/invoke, recognized by the target', async () => {
    const call = { serviceId: EMBEDDINGS, payload: { body: { model: 'any', input: TEXTS } } }
    const { status, body } = await invoke(fixture.on, credential, call)
    expect([status, body]).toMatchObject([200, { usage: { outputTokens: 0 } }])
    expect(fixture.provider.call().url).toBe('/v1/embeddings')
    expect(fixture.provider.call().body).toEqual({ model: 'any', input: TEXTS })
  })

  test('are held within a cap that covers the prompt alone, and refused below it', async () => {
    const body = { model: EMBEDDINGS, input: 'x'.repeat(3_000) }
    const refused = await plain('/embeddings', body, { 'farebox-max-cost-usdc': '0.000001' })
    expect(refused.status).toBe(422)
    const { error } = (await refused.json()) as { error: { farebox: { requiredHoldUsdc: string } } }
    const least = error.farebox.requiredHoldUsdc
    const paid = await plain('/embeddings', body, { 'farebox-max-cost-usdc': least })
    expect([paid.status, paid.headers.get('farebox-hold-usdc')]).toEqual([200, least])
  })

  test('and completions fall back to the next model when one does not answer', async () => {
    const embedded = await plain('/embeddings', { models: ['none', EMBEDDINGS], input: 'Go on.' })
    const completed = await plain('/completions', { models: ['none', CHAT], prompt: 'Go on.', max_tokens: 5 })
    for (const [answer, model] of [[embedded, EMBEDDINGS] as const, [completed, CHAT] as const]) {
      expect(answer.status).toBe(200)
      expect(answer.headers.get('farebox-attempts')).toContain('none;reason=')
      expect(await answer.json()).toMatchObject({ model })
    }
  })

  test('are replayed by key; the same key at another API is a conflict', async () => {
    const key = { 'idempotency-key': 'one' }
    const body = { model: CHAT, input: 'Go on.' }
    const first = await plain('/embeddings', body, key)
    const again = await plain('/embeddings', body, key)
    expect(await again.text()).toBe(await first.text())
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await plain('/responses', body, key)).status).toBe(409)
  })
})

describe('completions', () => {
  const ask = { model: CHAT, prompt: 'Tell me of the sea.', max_tokens: 12 }

  test('are returned whole and streamed to the stock client, charged by their usage', async () => {
    const whole = await openai.completions.create(ask)
    expect(whole.choices[0]?.text).not.toBe('')
    expect(fixture.provider.call().url).toBe('/v1/completions')
    expect(whole.usage).toMatchObject({ completion_tokens: fixture.provider.call().tokens?.output })

    const stream = await openai.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let usage: unknown
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? ''
      usage = chunk.usage ?? usage
    }
    expect(text).toBe(whole.choices[0]?.text)
    expect(usage).toMatchObject({ total_tokens: whole.usage?.total_tokens, cost: expect.any(Number) })
  })

  test('hide usage that was not requested, and are bounded where the caller sets no limit', async () => {
    const answer = await plain('/completions', { model: CHAT, prompt: 'Go on.', stream: true })
    const text = await answer.text()
    expect(text).not.toContain('"choices":[]')
    expect(text).toMatch(/: farebox \{.*\}\n\ndata: \[DONE\]\n\n$/)
    expect(fixture.provider.call().body).toMatchObject({
      max_tokens: 4_096,
      stream_options: { include_usage: true },
    })
  })

  test('that a provider does not stream are sent as events', async () => {
    fixture.provider.bend({
      body: {
        object: 'text_completion',
        choices: [{ index: 0, text: 'Sea.', finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
      },
    })
    const stream = await openai.completions.create({ ...ask, stream: true })
    const texts: string[] = []
    for await (const chunk of stream) texts.push(chunk.choices[0]?.text ?? '')
    expect(texts.join('')).toBe('Sea.')
    fixture.provider.call().tokens = { input: 3, output: 1 }
  })
})

describe('a token count', () => {
  test('is passed on from the provider, costs nothing, and leaves no call', async () => {
    const counted = await anthropic.messages.countTokens(ASK, { headers: { 'anthropic-beta': 'one-2026' } })
    const { url, body, headers, tokens } = fixture.provider.call()
    expect([url, body]).toEqual(['/v1/messages/count_tokens', { ...ASK, model: 'claude-9' }])
    expect(counted).toEqual({ input_tokens: tokens?.input })
    expect(headers).toMatchObject({
      'farebox-purpose': 'count_tokens',
      'anthropic-version': VERSION,
      'anthropic-beta': 'one-2026',
    })
    expect(headers).not.toHaveProperty('x-api-key')
    expect(await fixture.countCalls(credential)).toBe(0)
  })

  test.each([
    ['has no token count', { status: 404 }],
    ['fails', { status: 500, body: 'No.' }],
    ['returns an invalid count', { body: { input_tokens: -1 } }],
  ])('is estimated where the provider %s', async (_, bend) => {
    fixture.provider.bend(bend)
    const answer = await plain('/messages/count_tokens', ASK)
    expect([answer.status, answer.headers.get('farebox-estimated')]).toEqual([200, 'true'])
    const { input_tokens, estimated } = (await answer.json()) as Record<string, number>
    expect(estimated).toBe(true)
    expect(input_tokens).toBeGreaterThan(JSON.stringify(ASK).length / 3)
    expect(input_tokens).toBeLessThan(100)
  })

  test('is estimated for a model of another dialect, without asking it', async () => {
    const asked = fixture.provider.calls.length
    const answer = await plain('/messages/count_tokens', { ...ASK, model: CHAT })
    expect(await answer.json()).toEqual({ input_tokens: expect.any(Number), estimated: true })
    expect(fixture.provider.calls).toHaveLength(asked)
  })

  test('of a request that the provider refuses fails with its message', async () => {
    fixture.provider.bend({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: 'No turn.' } },
    })
    const answer = await plain('/messages/count_tokens', ASK)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'The provider answered 400: No turn.' },
    })
  })

  test('counts towards the rate limit, but not towards the calls', async () => {
    credential = await fixture.credential({ rpm: 3, maxCalls: 1 })
    const statuses = []
    for (const path of [
      '/messages/count_tokens',
      '/messages/count_tokens',
      '/messages',
      '/messages/count_tokens',
    ]) {
      statuses.push((await plain(path, { ...ASK, max_tokens: 5 })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test.each([
    ['an unknown model', { model: 'none' }, 404],
    ['no messages', { messages: undefined }, 400],
  ])('is refused in the shape of that API: %s', async (_, more, status) => {
    const answer = await plain('/messages/count_tokens', { ...ASK, ...more })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ type: 'error', error: { farebox: {} } })
  })

  test('is refused to a credential that may not call the model', async () => {
    credential = await fixture.credential({ allowedServices: [] })
    expect((await plain('/messages/count_tokens', ASK)).status).toBe(403)
  })
})

describe('headers that name versions and features', () => {
  test('are passed on, merged with those of the provider; others are not', async () => {
    await fixture.offer('beta-model', '/v1/messages', {
      llmDialect: 'anthropic',
      upstreamHeaders: { 'anthropic-beta': 'own-2026', 'anthropic-version': '2023-01-01' },
    })
    await anthropic.messages.create(
      { ...ASK, model: 'beta-model', max_tokens: 5 },
      { headers: { 'anthropic-beta': 'one-2026,two-2026', 'x-mine': 'stays' } },
    )
    const { headers } = fixture.provider.call()
    expect(headers).toMatchObject({
      'anthropic-beta': 'own-2026,one-2026,two-2026',
      'anthropic-version': VERSION,
    })
    expect(headers['anthropic-version']).not.toBe('2023-01-01')
    expect(headers).not.toHaveProperty('x-mine')
    await openai.chat.completions.create(
      { model: CHAT, messages: ASK.messages, max_tokens: 5 },
      { headers: { 'OpenAI-Beta': 'assistants=v2' } },
    )
    expect(fixture.provider.call().headers).toMatchObject({ 'openai-beta': 'assistants=v2' })
  })

  test('that are too long are refused before anything is held', async () => {
    const answer = await plain(
      '/messages',
      { ...ASK, max_tokens: 5 },
      { 'anthropic-beta': 'b'.repeat(1_025) },
    )
    expect(answer.status).toBe(400)
    expect(JSON.stringify(await answer.json())).toContain('anthropic-beta: Must be at most 1024 characters')
    expect(await fixture.countCalls(credential)).toBe(0)
  })
})

describe('models', () => {
  test('are listed with their prices per token, context and names, in both APIs', async () => {
    await fixture.offer('priced-model', '/v1/chat/completions', {
      summary: 'Short.',
      contextTokens: 128_000,
      cacheReadPricePer1M: '0.25',
    })
    const pricing = {
      prompt: '0.000002500001',
      completion: '0.000010000003',
      input_cache_read: '0.00000025',
      input_cache_write: '0.000002500001',
      request: '0',
    }
    const fields = { name: 'Model priced-model', description: 'Short.', context_length: 128_000, pricing }
    expect(await openai.models.retrieve('priced-model')).toMatchObject({ id: 'priced-model', ...fields })
    const { data } = await openai.models.list()
    expect(data.find(({ id }) => id === 'priced-model')).toMatchObject(fields)
    expect(data.find(({ id }) => id === 'priced-model')).toMatchObject({
      architecture: { input_modalities: null, output_modalities: ['text'] },
    })
    expect(await openai.models.retrieve(EMBEDDINGS)).toMatchObject({
      architecture: { output_modalities: ['embeddings'] },
    })
    expect(await anthropic.models.retrieve(CLAUDE)).toMatchObject({
      display_name: `Model ${CLAUDE}`,
      context_length: null,
      pricing: { request: '0' },
    })
  })

  test("report the credential's rate limit in the headers of both APIs, also on refusal", async () => {
    credential = await fixture.credential({ rpm: 1 })
    const body = { model: EMBEDDINGS, input: 'Go on.' }
    const rates = async () => {
      const { status, headers } = await plain('/embeddings', body)
      const of = (name: string) => headers.get(name)
      expect(of('anthropic-ratelimit-requests-limit')).toBe('1')
      const resetAt = Date.parse(of('anthropic-ratelimit-requests-reset') ?? '')
      expect(resetAt).toBeGreaterThan(Date.now() - 5_000)
      expect(resetAt).toBeLessThan(Date.now() + 70_000)
      expect(of('x-ratelimit-reset-requests')).toMatch(/^\d+s$/)
      return [status, of('x-ratelimit-limit-requests'), of('x-ratelimit-remaining-requests')]
    }
    expect(await rates()).toEqual([200, '1', '0'])
    expect(await rates()).toEqual([429, '1', '0'])
  })
})
