import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ModelFixture, startModelFixture } from './model-fixture.ts'

/**
 * What the APIs answer, whole (`.json`) and streamed (`.sse`), in the form of their documentation: each part of a
 * message that there is. All of it has to come through as it was sent.
 */
const SAMPLES = join(import.meta.dirname, 'samples')
const samplesOf = (api: string) => {
  const names = readdirSync(join(SAMPLES, api)).filter(name => name.endsWith('.json'))
  return names.map(name => {
    const [whole = '', streamed = ''] = ['json', 'sse'].map(type =>
      readFileSync(join(SAMPLES, api, name.replace(/json$/, type)), 'utf8'),
    )
    return { name: name.replace('.json', ''), whole, streamed }
  })
}

const CHAT = 'chat-model'
const CLAUDE = 'claude-model'
const MESSAGES = [{ role: 'user' as const, content: 'What does the ferry cost?' }]

let fixture: ModelFixture
let received: string
let openai: OpenAI
let anthropic: Anthropic

beforeAll(async () => {
  fixture = await startModelFixture()
  await fixture.offer(CHAT, '/v1/chat/completions')
  await fixture.offer(CLAUDE, '/v1/messages', { llmDialect: 'anthropic' })
  const { token: apiKey } = await fixture.credential()
  const options = { apiKey, maxRetries: 0, fetch: keepBody }
  openai = new OpenAI({ ...options, baseURL: `${fixture.on.url}/v1` })
  anthropic = new Anthropic({ ...options, baseURL: fixture.on.url })
})
beforeEach(() => {
  received = ''
})
afterAll(async () => {
  await fixture.on.assertBooks()
  await fixture.stop()
})

/** Fetches, and keeps the text of the body beside. */
async function keepBody(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  received = await response.clone().text()
  return response
}

const say = (text: string, contentType: string) =>
  fixture.provider.bend({ status: 200, body: text, contentType })
const sayWhole = ({ whole }: Sample) => say(whole, 'application/json')
const sayStreamed = ({ streamed }: Sample) => say(streamed, 'text/event-stream')
type Sample = ReturnType<typeof samplesOf>[number]

/** What was received, without what the gateway adds: the cost in the usage, and the bill of a stream. */
const asSent = (text: string) =>
  text
    .replace(/,"cost":[0-9.e-]+\}/, '}')
    .replace(/\n,"cost":[0-9.e-]+/, '')
    .replace(/^: farebox .*\n\n/m, '')

const dataOf = (stream: string): unknown[] =>
  stream.split('\n').flatMap(line => {
    const [, data = '[DONE]'] = /^data: (.*)$/s.exec(line) ?? []
    return data === '[DONE]' ? [] : [JSON.parse(data)]
  })

async function listed<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const list: Event[] = []
  for await (const event of events) list.push(event)
  return list
}

/** What the client made of an answer, without the cost; members that start with an underscore are the client's. */
const withoutCost = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) =>
    name === 'cost' && typeof member === 'number' && member < 0.01 ? undefined : member,
  )

describe.each(samplesOf('chat'))('a chat answer: $name', sample => {
  test('is passed on unchanged as a whole', async () => {
    sayWhole(sample)
    const answer = await openai.chat.completions.create({ model: CHAT, messages: MESSAGES })
    expect(asSent(received)).toBe(sample.whole)
    expect(withoutCost(answer)).toEqual(JSON.parse(sample.whole))
  })

  test('is passed on unchanged as a stream', async () => {
    sayStreamed(sample)
    const ask = {
      model: CHAT,
      messages: MESSAGES,
      stream: true,
      stream_options: { include_usage: true },
    } as const
    const chunks = await listed(await openai.chat.completions.create(ask))
    expect(asSent(received)).toBe(sample.streamed)
    expect(withoutCost(chunks)).toEqual(dataOf(sample.streamed))
  })
})

describe.each(samplesOf('responses'))('a response: $name', sample => {
  test('is passed on unchanged as a whole', async () => {
    sayWhole(sample)
    const { output_text: _, ...answer } = await openai.responses.create({ model: CHAT, input: 'Go on.' })
    expect(asSent(received)).toBe(sample.whole)
    expect(withoutCost(answer)).toEqual(JSON.parse(sample.whole))
  })

  test('is passed on unchanged as a stream', async () => {
    sayStreamed(sample)
    const events = await listed(await openai.responses.create({ model: CHAT, input: 'Go on.', stream: true }))
    expect(asSent(received)).toBe(sample.streamed)
    expect(withoutCost(events)).toEqual(dataOf(sample.streamed))
  })
})

describe.each(samplesOf('messages'))('a message: $name', sample => {
  const ask = { model: CLAUDE, max_tokens: 100, messages: MESSAGES }

  test('is passed on unchanged as a whole', async () => {
    sayWhole(sample)
    const answer = await anthropic.messages.create(ask)
    expect(asSent(received)).toBe(sample.whole)
    expect(withoutCost(answer)).toEqual(JSON.parse(sample.whole))
  })

  test('is passed on unchanged as a stream', async () => {
    sayStreamed(sample)
    const events = await listed(await anthropic.messages.create({ ...ask, stream: true }))
    expect(asSent(received)).toBe(sample.streamed)
    // The client keeps pings to itself.
    expect(withoutCost(events)).toEqual(
      dataOf(sample.streamed).filter(event => (event as { type: string }).type !== 'ping'),
    )
  })
})

describe('requests', () => {
  const base64 = Buffer.from('%PDF-1.7 ferry').toString('base64')
  const schema = { type: 'object', properties: { coins: { type: 'number' } }, required: ['coins'] }
  const unknown = { x_new: { deep: [1.5, { a: null }] } }
  const chat = [
    { type: 'text', text: 'Look.' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}`, detail: 'low' } },
    { type: 'input_audio', input_audio: { data: base64, format: 'wav' } },
    { type: 'file', file: { filename: 'fares.pdf', file_data: `data:application/pdf;base64,${base64}` } },
  ]
  const blocks = [
    { type: 'text', text: 'Look.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: base64 },
      citations: { enabled: true },
    },
    { type: 'thinking', thinking: 'One each way.', signature: 'EqQBCgIYAhIM' },
  ]

  test.each([
    [
      'a chat',
      '/chat/completions',
      {
        model: CHAT,
        messages: [{ role: 'user', content: chat }],
        max_completion_tokens: 50,
        tools: [{ type: 'function', function: { name: 'look', parameters: schema, strict: true } }],
        parallel_tool_calls: true,
        response_format: { type: 'json_schema', json_schema: { name: 'fare', schema, strict: true } },
        modalities: ['text', 'audio'],
        audio: { voice: 'alloy', format: 'wav' },
        logprobs: true,
        top_logprobs: 2,
        reasoning_effort: 'low',
        prompt_cache_key: 'ferry',
        ...unknown,
      },
    ],
    [
      'a response',
      '/responses',
      {
        model: CHAT,
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'Look.' },
              { type: 'input_image', image_url: `data:image/png;base64,${base64}`, detail: 'auto' },
              {
                type: 'input_file',
                filename: 'fares.pdf',
                file_data: `data:application/pdf;base64,${base64}`,
              },
            ],
          },
          { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAAA==', summary: [] },
        ],
        max_output_tokens: 50,
        text: { format: { type: 'json_schema', name: 'fare', schema, strict: true } },
        reasoning: { effort: 'low', summary: 'detailed' },
        include: ['reasoning.encrypted_content'],
        store: false,
        ...unknown,
      },
    ],
    [
      'a message',
      '/messages',
      {
        model: CLAUDE,
        max_tokens: 2_000,
        system: [{ type: 'text', text: 'You row.', cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: blocks }],
        tools: [{ name: 'look', input_schema: schema, cache_control: { type: 'ephemeral' } }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: false },
        thinking: { type: 'enabled', budget_tokens: 1_024 },
        ...unknown,
      },
    ],
  ] as const)('%s reaches the provider as it was sent', async (_, path, body) => {
    fixture.provider.bend({ status: 400, body: { error: { message: 'Seen.' } } })
    const text = JSON.stringify(body)
    const { token } = await fixture.credential()
    await fetch(`${fixture.on.url}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'content-type': 'application/json' },
      body: text,
    })
    expect(fixture.provider.call().text).toBe(text)
  })
})
