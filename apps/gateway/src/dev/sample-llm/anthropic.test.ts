import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SampleProvider } from '../samples/sample-server.ts'
import { startSampleLlm } from './start-sample-llm.ts'
import { loadTokenizer, type Tokenizer } from './tokenizer.ts'

let sample: SampleProvider
let client: Anthropic
let tokenizer: Tokenizer

beforeAll(async () => {
  sample = await startSampleLlm(null, { tokensPerSecond: 0, firstTokenDelayMs: 0 })
  client = new Anthropic({ apiKey: 'none', baseURL: sample.url, maxRetries: 0 })
  tokenizer = await loadTokenizer()
})
afterAll(() => sample.stop())

const model = 'farebox-sample-1'
const asked = (content: string) => [{ role: 'user' as const, content }]
const weather: Anthropic.Tool = {
  name: 'get_weather',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'integer' } } },
    required: ['city'],
  },
}

/** The text of a message's only block. */
function textOf({ content }: Anthropic.Message): string {
  const [block] = content
  if (content.length !== 1 || block?.type !== 'text') throw new Error('It is no text.')
  return block.text
}

test('answers a message with text from the prompt and its exact usage', async () => {
  const message = await client.messages.create({
    model,
    max_tokens: 1_000,
    system: 'You row.',
    messages: asked('Tell me about lanterns in Lisbon'),
  })
  expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' })
  expect(textOf(message)).toContain('Lisbon')
  expect(message.usage.output_tokens).toBe(tokenizer.count(textOf(message)))
  expect(message.usage.input_tokens).toBeGreaterThan(tokenizer.count('Tell me about lanterns in Lisbon'))
})

test('sends a text block without citations, as the real API does when it has none', async () => {
  const body = { model, max_tokens: 5, messages: asked('Hi') }
  const { content } = await client.messages.create(body)
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }])
  for await (const event of await client.messages.create({ ...body, stream: true })) {
    if (event.type === 'content_block_start') expect(event.content_block).toEqual({ type: 'text', text: '' })
  }
})

test('returns JSON that fits the schema of a message', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const message = await client.messages.create({
    model,
    max_tokens: 100,
    messages: asked('Rain in Lisbon'),
    output_config: { format: { type: 'json_schema', schema } },
  })
  expect(JSON.parse(textOf(message))).toEqual({ city: 'Rain' })
})

test.each([1, 2, 7, 64])('obeys max_tokens %i exactly, streamed too', async limit => {
  const body = { model, max_tokens: limit, messages: asked('Tell me of tides') }
  const whole = await client.messages.create(body)
  expect(whole).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: limit } })
  expect(tokenizer.count(textOf(whole))).toBe(limit)
  const streamed = await client.messages.stream(body).finalMessage()
  expect(streamed).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: limit } })
  expect(textOf(streamed)).toBe(textOf(whole))
})

test('streams a message in the order of the real API, with usage at start and end', async () => {
  const body = { model, max_tokens: 1_000, messages: asked('Say it in 5 words') }
  const types: string[] = []
  let inputTokens = 0
  for await (const event of await client.messages.create({ ...body, stream: true })) {
    if (types.at(-1) !== event.type) types.push(event.type)
    if (event.type === 'message_start') inputTokens = event.message.usage.input_tokens
    if (event.type === 'message_delta') expect(event.usage.input_tokens).toBe(inputTokens)
  }
  expect(types).toEqual([
    'message_start',
    'content_block_start',
    // The client swallows `ping`.
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  const whole = await client.messages.create(body)
  const streamed = await client.messages.stream(body).finalMessage()
  expect(textOf(streamed)).toBe(textOf(whole))
  expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens)
  expect(whole.usage.input_tokens).toBe(inputTokens)
})

test('calls a tool named in a message, streamed in pieces, and answers its result with text', async () => {
  const messages: Anthropic.MessageParam[] = asked('Please get weather for Lisbon, 3 days')
  const body = { model, max_tokens: 1_000, messages, tools: [weather] }
  const streamed = await client.messages.stream(body).finalMessage()
  expect(streamed.stop_reason).toBe('tool_use')
  const [use] = streamed.content
  if (use?.type !== 'tool_use') throw new Error('No tool is used.')
  expect(use).toMatchObject({ name: 'get_weather', input: { city: 'Lisbon', days: [3] } })
  const whole = await client.messages.create(body)
  expect(whole.content[0]).toMatchObject({ type: 'tool_use', input: use.input })
  expect(whole.usage.output_tokens).toBe(
    tokenizer.count('get_weather') + tokenizer.count(JSON.stringify(use.input)),
  )

  messages.push({ role: 'assistant', content: streamed.content })
  messages.push({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: use.id, content: [{ type: 'text', text: 'Seventeen' }] }],
  })
  expect(textOf(await client.messages.create(body))).toContain('Seventeen')
})

test('cuts a tool call at max_tokens', async () => {
  const body = { model, max_tokens: 4, messages: asked('get_weather for Lisbon'), tools: [weather] }
  const whole = await client.messages.create(body)
  expect(whole).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 4 } })
  expect(whole.content[0]).toMatchObject({ type: 'tool_use', input: {} })
})

test('reports the stop sequence', async () => {
  const message = await client.messages.create({
    model,
    max_tokens: 1_000,
    stop_sequences: ['\n\n'],
    messages: asked('Tell me of tides'),
  })
  expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: '\n\n' })
})

test('answers invalid requests with the error of the API', async () => {
  const refused = client.messages.create({ model, max_tokens: 0, messages: asked('Hi') })
  await expect(refused).rejects.toThrow(Anthropic.BadRequestError)
  await expect(refused).rejects.toMatchObject({
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  })
})
