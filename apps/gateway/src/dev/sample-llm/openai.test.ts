import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SampleProvider } from '../samples/sample-server.ts'
import { startSampleLlm } from './start-sample-llm.ts'
import { loadTokenizer, type Tokenizer } from './tokenizer.ts'

let sample: SampleProvider
let client: OpenAI
let tokenizer: Tokenizer

beforeAll(async () => {
  sample = await startSampleLlm(null, { tokensPerSecond: 0, firstTokenDelayMs: 0 })
  client = new OpenAI({ apiKey: 'none', baseURL: `${sample.url}/v1`, maxRetries: 0 })
  tokenizer = await loadTokenizer()
})
afterAll(() => sample.stop())

const model = 'farebox-sample-1'
const asked = (content: string) => [{ role: 'user' as const, content }]
const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer', minimum: 1, maximum: 7 },
    unit: { type: 'string', enum: ['metric', 'imperial'] },
  },
  required: ['city', 'days', 'unit'],
  additionalProperties: false,
}
const weather = { name: 'get_weather', description: 'Tells the weather.', parameters }

test('answers a chat with text from the prompt and a usage that adds up', async () => {
  const { choices, usage } = await client.chat.completions.create({
    model,
    messages: asked('Tell me about lanterns in Lisbon'),
  })
  const [choice] = choices
  expect(choice).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } })
  const text = choice?.message.content ?? ''
  expect(text).toContain('Lisbon')
  expect(usage).toMatchObject({
    completion_tokens: tokenizer.count(text),
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  })
  expect(usage?.prompt_tokens).toBeGreaterThan(tokenizer.count('Tell me about lanterns in Lisbon'))
  expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0))
})

test('answers the same prompt with the same text, and another prompt with another', async () => {
  const say = async (content: string) =>
    (await client.chat.completions.create({ model, messages: asked(content) })).choices[0]?.message.content
  expect(await say('Speak of rivers')).toBe(await say('Speak of rivers'))
  expect(await say('Speak of rivers')).not.toBe(await say('Speak of bridges'))
})

test.each([1, 2, 7, 64])('obeys a limit of %i tokens exactly, by either name, streamed too', async limit => {
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    const body = { model, messages: asked('Tell me of tides'), [name]: limit }
    const whole = await client.chat.completions.create(body)
    expect(whole.usage?.completion_tokens).toBe(limit)
    expect(whole.choices[0]?.finish_reason).toBe('length')
    expect(tokenizer.count(whole.choices[0]?.message.content ?? '')).toBe(limit)
    const streamed = await client.chat.completions.stream({
      ...body,
      stream_options: { include_usage: true },
    })
    expect((await streamed.finalChatCompletion()).choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: whole.choices[0]?.message.content },
    })
    expect((await streamed.totalUsage()).completion_tokens).toBe(limit)
  }
})

test('returns JSON that fits the schema, for a chat and a response', async () => {
  const messages = asked('A week of 5 days in Lisbon')
  const json_schema = { name: 'weather', schema: parameters, strict: true }
  const format = { type: 'json_schema' as const, ...json_schema }
  const chat = await client.chat.completions.create({
    model,
    messages,
    response_format: { type: 'json_schema', json_schema },
  })
  const response = await client.responses.create({ model, input: messages, text: { format } })
  for (const text of [chat.choices[0]?.message.content, response.output_text])
    expect(JSON.parse(text ?? '')).toEqual({ city: 'week', days: 5, unit: 'metric' })
})

test('streams a chat: role, one token each, the finish reason, and usage without choices on request', async () => {
  const messages = asked('Tell me of tides, in 30 words')
  const whole = await client.chat.completions.create({ model, messages })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  const options = { model, messages, stream: true, stream_options: { include_usage: true } } as const
  for await (const chunk of await client.chat.completions.create(options)) chunks.push(chunk)

  expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' })
  const text = chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
  expect(text).toBe(whole.choices[0]?.message.content)
  expect(text.match(/\S+/g)).toHaveLength(30)
  const last = chunks.at(-1)
  expect(last).toMatchObject({ choices: [], usage: whole.usage })
  expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
  expect(chunks.slice(0, -1).every(chunk => chunk.usage === null)).toBe(true)
  expect(chunks).toHaveLength((whole.usage?.completion_tokens ?? 0) + 3)
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
})

test('omits usage from all chunks without include_usage', async () => {
  const stream = await client.chat.completions.create({ model, messages: asked('Hello'), stream: true })
  for await (const chunk of stream) {
    expect(chunk).not.toHaveProperty('usage')
    expect(chunk.choices).toHaveLength(1)
  }
})

test('calls a tool named in a chat with arguments of its schema, and answers its result with text', async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = asked('Use get_weather for Lisbon, 3 days, metric')
  const tools = [{ type: 'function', function: weather }] as const
  const { choices, usage } = await client.chat.completions.create({ model, messages, tools: [...tools] })
  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
  const call = choices[0]?.message.tool_calls?.[0]
  if (call?.type !== 'function') throw new Error('No function is called.')
  expect(call.function.name).toBe('get_weather')
  expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Lisbon', days: 3, unit: 'metric' })
  const written = tokenizer.count('get_weather') + tokenizer.count(call.function.arguments)
  expect(usage?.completion_tokens).toBe(written)

  const streamed = await client.chat.completions
    .stream({ model, messages, tools: [...tools] })
    .finalChatCompletion()
  expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
    function: { name: 'get_weather', arguments: call.function.arguments },
  })

  messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  messages.push({ role: 'tool', tool_call_id: call.id, content: '{"degrees": 17}' })
  const after = await client.chat.completions.create({ model, messages, tools: [...tools] })
  expect(after.choices[0]).toMatchObject({ finish_reason: 'stop' })
  expect(after.choices[0]?.message.content).toContain('{"degrees": 17}')
})

test('obeys tool_choice', async () => {
  const tools = [{ type: 'function' as const, function: weather }]
  const choose = async (tool_choice: OpenAI.ChatCompletionToolChoiceOption, content: string) => {
    const options = { model, messages: asked(content), tools, tool_choice }
    return (await client.chat.completions.create(options)).choices[0]?.finish_reason
  }
  expect(await choose('none', 'Use get_weather now')).toBe('stop')
  expect(await choose('auto', 'How is it outside?')).toBe('stop')
  expect(await choose('required', 'How is it outside?')).toBe('tool_calls')
  const named = { type: 'function', function: { name: 'get_weather' } } as const
  expect(await choose(named, 'How is it outside?')).toBe('tool_calls')
})

test('ends the answer before a stop sequence', async () => {
  const { choices } = await client.chat.completions.create({
    model,
    messages: asked('Tell me of tides'),
    stop: ['\n\n', 'no such text'],
  })
  expect(choices[0]?.finish_reason).toBe('stop')
  expect(choices[0]?.message.content).not.toContain('\n\n')
})

test('answers a response with text and a usage that adds up', async () => {
  const response = await client.responses.create({
    model,
    instructions: 'Be brief.',
    input: 'Tell me of tides',
  })
  expect(response).toMatchObject({ object: 'response', status: 'completed', incomplete_details: null })
  expect(response.output_text).toContain('tides')
  expect(response.usage).toMatchObject({
    output_tokens: tokenizer.count(response.output_text),
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  })
  expect(response.usage?.total_tokens).toBe(
    (response.usage?.input_tokens ?? 0) + (response.usage?.output_tokens ?? 0),
  )
})

test('streams a response in the order of the real API, with numbered events', async () => {
  const input = [
    { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'Say it in 5 words' }] },
  ]
  const types: string[] = []
  let text = ''
  let next = 0
  let usage: OpenAI.Responses.ResponseUsage | undefined
  for await (const event of await client.responses.create({ model, input, stream: true })) {
    expect(event.sequence_number).toBe(next++)
    if (types.at(-1) !== event.type) types.push(event.type)
    if (event.type === 'response.output_text.delta') text += event.delta
    if (event.type === 'response.output_text.done') expect(event.text).toBe(text)
    if (event.type === 'response.completed') usage = event.response.usage
  }
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(usage?.output_tokens).toBe(tokenizer.count(text))
  const final = await client.responses.stream({ model, input }).finalResponse()
  expect(final.output_text).toBe(text)
})

test('returns an incomplete response with a reason at the limit', async () => {
  const options = { model, input: 'Tell me of tides', max_output_tokens: 20 }
  const expected = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  const whole = await client.responses.create(options)
  expect(whole).toMatchObject({ ...expected, usage: { output_tokens: 20 } })
  let last: OpenAI.Responses.ResponseStreamEvent | undefined
  for await (const event of await client.responses.create({ ...options, stream: true })) last = event
  expect(last).toMatchObject({ type: 'response.incomplete', response: expected })
})

test('calls a tool in a response, streamed in pieces, and answers its output with text', async () => {
  const tools = [{ type: 'function' as const, strict: true, ...weather }]
  const input: OpenAI.Responses.ResponseInput = asked('Use get_weather for Porto')
  const { output } = await client.responses.stream({ model, input, tools }).finalResponse()
  const [call] = output
  if (call?.type !== 'function_call') throw new Error('No function is called.')
  expect(call).toMatchObject({ name: 'get_weather', status: 'completed' })
  expect(JSON.parse(call.arguments)).toMatchObject({ city: 'Porto' })
  const whole = await client.responses.create({ model, input, tools })
  expect(whole.output[0]).toMatchObject({ type: 'function_call', arguments: call.arguments })

  input.push(
    { ...call },
    { type: 'function_call_output', call_id: call.call_id, output: 'Seventeen degrees' },
  )
  const after = await client.responses.create({ model, input, tools })
  expect(after.output_text).toContain('Seventeen degrees')
})

test('answers invalid requests with the error of the API, naming the member', async () => {
  const refusal = async (made: Promise<unknown>) => {
    const error = await made.then(
      () => null,
      error => error,
    )
    if (!(error instanceof OpenAI.APIError)) throw new Error('It was not refused.')
    return { status: error.status, type: error.type, param: error.param }
  }
  const type = 'invalid_request_error'
  const { completions } = client.chat
  expect(await refusal(completions.create({ model, messages: [] }))).toEqual({
    status: 400,
    type,
    param: 'messages',
  })
  expect(await refusal(completions.create({ model: '', messages: asked('Hi') }))).toEqual({
    status: 400,
    type,
    param: 'model',
  })
  expect(await refusal(completions.create({ model, messages: asked('Hi'), max_tokens: 0 }))).toEqual({
    status: 400,
    type,
    param: 'max_tokens',
  })
  const unknown = client.responses.create({ model, input: 'Hi', previous_response_id: 'resp_1' })
  expect(await refusal(unknown)).toEqual({ status: 400, type, param: 'previous_response_id' })
  expect(await refusal(client.moderations.create({ model, input: 'Hi' }))).toMatchObject({ status: 404 })
})

test('continues a text by a completion, whole and streamed', async () => {
  const ask = { model, prompt: 'Tell me about lanterns in Lisbon', max_tokens: 12 }
  const { choices, usage } = await client.completions.create(ask)
  expect(choices[0]).toMatchObject({ index: 0, finish_reason: 'length' })
  expect(usage?.completion_tokens).toBe(12)
  const texts: string[] = []
  for await (const chunk of await client.completions.create({ ...ask, stream: true }))
    texts.push(chunk.choices[0]?.text ?? '')
  expect(texts.join('')).toBe(choices[0]?.text)
})

test('returns a unit vector per text as embeddings, the same in base64', async () => {
  const input = ['Lanterns in Lisbon', 'Bread']
  const ask = { model, input, dimensions: 64 }
  const numbers = await client.embeddings.create({ ...ask, encoding_format: 'float' })
  const base64 = await client.embeddings.create(ask)
  expect(numbers.data.map(({ embedding }) => embedding.length)).toEqual([64, 64])
  for (const [index, { embedding }] of numbers.data.entries()) {
    expect(Math.hypot(...embedding)).toBeCloseTo(1, 5)
    expect(base64.data[index]?.embedding).toEqual(embedding)
  }
  expect(numbers.usage.total_tokens).toBeGreaterThan(0)
})
