import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { eventOf } from './event-sink.ts'
import { type ApiStreamEvent, chatEvents, messageEvents, responsesEvents } from './whole-answer-rules.ts'

/** Returns options of the official clients for a server that streams these events. */
function options(events: readonly ApiStreamEvent[]) {
  const text = events.map(event => eventOf(event).raw.toString()).join('')
  const fetch = async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  return { apiKey: 'agt_test', baseURL: 'http://gateway.test/v1', fetch, maxRetries: 0 }
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

describe('a chat completion split into chunks', () => {
  const base = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' }
  const reported = (completion: object) =>
    new OpenAI(options(chatEvents({ ...completion }))).chat.completions
      .stream({ model: 'm', messages: [] })
      .finalChatCompletion()

  test('reassembles to the original', async () => {
    const completion = {
      ...base,
      system_fingerprint: 'fp',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' },
        { index: 1, message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'length' },
      ],
      usage,
    }
    expect(await reported(completion)).toMatchObject(completion)
  })

  test('includes its tool calls', async () => {
    const calls = ['a', 'b'].map(id => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{"x":1}' },
    }))
    const message = { role: 'assistant', content: null, tool_calls: calls }
    const completion = { ...base, choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }
    expect(await reported(completion)).toMatchObject(completion)
  })

  test('does not throw when malformed', () => {
    for (const odd of [{}, { choices: null }, { choices: [null, 1] }, { choices: [{ message: 'text' }] }]) {
      expect(chatEvents(odd).length).toBeGreaterThan(0)
    }
  })
})

describe('a response split into events', () => {
  const output = [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      status: 'completed',
      name: 'f',
      arguments: '{"x":1}',
    },
    { type: 'reasoning', id: 'rs_1', summary: [] },
  ]
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output,
    usage: { total_tokens: 5 },
  }

  test('reassembles to the original and streams its text and arguments', async () => {
    const events = responsesEvents(response)
    const stream = new OpenAI(options(events)).responses.stream({ model: 'm', input: 'x' })
    const deltas: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    stream.on('response.function_call_arguments.delta', ({ delta }) => deltas.push(delta))
    expect(await stream.finalResponse()).toMatchObject({ ...response, output_text: 'Hello' })
    expect(deltas).toEqual(['Hello', '{"x":1}'])
    expect(events.map(({ message }) => message.sequence_number)).toEqual(events.map((_, index) => index))
  })

  test('ends with the event for its status', () => {
    const endOf = (status: unknown) => responsesEvents({ status }).at(-1)?.name
    expect(['completed', 'incomplete', 'failed', undefined].map(endOf)).toEqual([
      'response.completed',
      'response.incomplete',
      'response.failed',
      'response.completed',
    ])
  })
})

describe('a message split into events', () => {
  test('reassembles to the original', async () => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: [1, { y: null }] } },
        { type: 'redacted_thinking', data: 'opaque' },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 2 },
    }
    const client = new Anthropic(options(messageEvents(message)))
    const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [] })
    const texts: string[] = []
    stream.on('text', text => texts.push(text))
    expect(await stream.finalMessage()).toMatchObject(message)
    expect(texts).toEqual(['Hello'])
  })
})
