import { readdirSync, readFileSync } from 'node:fs'
import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import type { EventStream } from '../../http/event-stream.ts'
import type { Bill } from '../invocation/records/read-answer.ts'
import { createEventSplitter } from '../invocation/stream/event-splitter.ts'
import type { StreamEvent } from '../invocation/stream/stream-sink.ts'
import { messagesApi } from './anthropic-api.ts'
import type { CompatApi } from './compat-api.ts'
import { createEventSink } from './event-sink.ts'
import { failureOf } from './failure-rules.ts'
import { chatApi, responsesApi } from './openai-apis.ts'

const bill: Bill = {
  invocationId: 'inv_1',
  status: 'SUCCEEDED',
  chargedUsdc: '0.000010',
  holdUsdc: '0.000100',
  releasedUsdc: '0.000090',
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
}
const head = { invocationId: 'inv_1', holdUsdc: '0.000100', isReplay: false, rate: null }
const cut = failureOf(new GatewayError('UPSTREAM_ERROR', { reason: 'stream_cut', status: 'PROCESSING' }))
const BILL = `: farebox ${JSON.stringify(bill)}\n\n`

/** Returns a connection that records what is written to it. */
function connection() {
  const written = { text: '', headers: {} as Readonly<Record<string, string>>, isEnded: false }
  const stream: EventStream = {
    isOpen: true,
    isGone: false,
    open(headers) {
      written.headers = headers
    },
    write(bytes) {
      written.text += bytes.toString()
      return undefined
    },
    end(bytes = '') {
      written.text += bytes.toString()
      written.isEnded = true
    },
  }
  return { written, stream }
}

function event(data: string, name = ''): StreamEvent {
  const raw = Buffer.from(`${name === '' ? '' : `event: ${name}\n`}data: ${data}\n\n`)
  return { raw, name, data }
}

function grammarOf({ streaming }: CompatApi, body: object) {
  if (streaming === null) throw new Error('It does not stream.')
  return streaming.grammarFor(body, 'req_1')
}

function through(api: CompatApi, body: object, events: readonly StreamEvent[]) {
  const { written, stream } = connection()
  const sink = createEventSink(stream, grammarOf(api, { model: 'm', messages: [], ...body }), () => undefined)
  sink.open(head)
  sink.write(events)
  return { written, sink }
}

const chunk = (content: string) => event(`{"choices":[{"index":0,"delta":{"content":"${content}"}}]}`)
const usage = event('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}')

describe('a streamed chat completion', () => {
  test('is forwarded unchanged, followed by the bill as a comment and [DONE]', () => {
    const { written, sink } = through(chatApi, {}, [chunk('a'), chunk('b'), usage])
    expect(written.headers).toEqual({ 'farebox-invocation-id': 'inv_1', 'farebox-hold-usdc': '0.000100' })
    expect(written.text).toBe(chunk('a').raw.toString() + chunk('b').raw.toString())
    sink.finish({ bill, failure: null })
    const events = chunk('a').raw.toString() + chunk('b').raw.toString()
    expect(written.text).toBe(`${events}${BILL}data: [DONE]\n\n`)
    expect(written.isEnded).toBe(true)
  })

  test('sends usage only when include_usage is true', () => {
    const asked = { stream_options: { include_usage: true } }
    expect(through(chatApi, asked, [usage]).written.text).toBe(usage.raw.toString())
    for (const body of [{}, { stream_options: null }, { stream_options: { include_usage: false } }]) {
      expect(through(chatApi, body, [usage]).written.text).toBe('')
    }
  })

  test('keeps every chunk that is not a usage chunk', () => {
    const filter = event('{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}')
    const quoted = event('{"choices":[{"delta":{"content":"\\"choices\\":[] \\"usage\\":{}"}}]}')
    const nothing = event('{"choices":[],"usage":null}')
    const { written } = through(chatApi, {}, [filter, quoted, nothing])
    expect(written.text).toBe([filter, quoted, nothing].map(each => each.raw.toString()).join(''))
  })

  test('that is cut off ends with an error and without [DONE]', () => {
    const { written, sink } = through(chatApi, {}, [chunk('a')])
    sink.finish({ bill: { ...bill, status: 'PROCESSING' }, failure: cut })
    expect(written.text).not.toContain('[DONE]')
    const last = written.text.trimEnd().split('\n\n').at(-1) ?? ''
    expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({
      error: { type: 'api_error', code: 'upstream_error', farebox: { status: 'PROCESSING' } },
    })
  })

  test("that fails ends with the provider's error event and without [DONE]", () => {
    const failed = event('{"error":{"message":"The server had an error","type":"server_error"}}')
    const { written, sink } = through(chatApi, {}, [chunk('a'), failed])
    sink.finish({ bill, failure: cut })
    expect(written.text).toBe(chunk('a').raw.toString() + BILL + failed.raw.toString())
  })
})

describe('a streamed response', () => {
  const delta = event(
    '{"type":"response.output_text.delta","sequence_number":7,"delta":"a"}',
    'response.output_text.delta',
  )

  test('sends the bill before its final event', () => {
    for (const name of ['response.completed', 'response.incomplete']) {
      const last = event(`{"type":"${name}","response":{}}`, name)
      const { written, sink } = through(responsesApi, {}, [delta, last])
      expect(written.text).toBe(delta.raw.toString())
      sink.finish({ bill, failure: null })
      expect(written.text).toBe(delta.raw.toString() + BILL + last.raw.toString())
    }
  })

  test('ends with an error event instead of its final event when the call fails', () => {
    const last = event('{"type":"response.completed","response":{}}')
    const { written, sink } = through(responsesApi, {}, [delta, last])
    sink.finish({ bill, failure: cut })
    expect(written.text).not.toContain('response.completed')
    const [, name, data = ''] = /event: (\w+)\ndata: (.*)\n\n$/.exec(written.text) ?? []
    expect(name).toBe('error')
    expect(JSON.parse(data)).toMatchObject({ type: 'error', sequence_number: 8, code: 'upstream_error' })
  })
})

describe('a streamed message', () => {
  const delta = event('{"type":"content_block_delta"}', 'content_block_delta')
  const stop = event('{"type":"message_stop"}', 'message_stop')

  test('sends the bill before message_stop', () => {
    const { written, sink } = through(messagesApi, {}, [delta, stop])
    expect(written.text).toBe(delta.raw.toString())
    sink.finish({ bill, failure: null })
    expect(written.text).toBe(delta.raw.toString() + BILL + stop.raw.toString())
  })

  test('that is cut off ends with an error event and without message_stop', () => {
    const { written, sink } = through(messagesApi, {}, [delta, stop])
    sink.finish({ bill: null, failure: cut })
    expect(written.text).not.toContain('message_stop')
    const [, data = ''] = /event: error\ndata: (.*)\n\n$/.exec(written.text) ?? []
    expect(JSON.parse(data)).toMatchObject({
      type: 'error',
      error: { type: 'api_error' },
      request_id: 'req_1',
    })
  })

  test('sets idempotent-replayed on a replay', () => {
    const { written, stream } = connection()
    const body = { model: 'm', messages: [] }
    createEventSink(stream, grammarOf(messagesApi, body), () => undefined).open({
      ...head,
      isReplay: true,
    })
    expect(written.headers).toMatchObject({ 'idempotent-replayed': 'true' })
  })
})

describe('recorded provider streams', () => {
  const folder = new URL('../../../test/recorded/', import.meta.url)
  const apis = { 'anthropic-': messagesApi, 'openai-responses': responsesApi, '': chatApi }

  for (const file of readdirSync(folder).filter(name => name.endsWith('.sse'))) {
    test(`${file} is forwarded unchanged, except for its final event and unrequested usage`, () => {
      const events = createEventSplitter({ eventBytesMax: 1_048_576 }).push(
        readFileSync(new URL(file, folder)),
      )
      const sent = events.filter(({ data }) => data.trim() !== '[DONE]')
      const [, api = chatApi] = Object.entries(apis).find(([start]) => file.startsWith(start)) ?? []
      const asked = { stream_options: { include_usage: true } }
      const { written, sink } = through(api, asked, sent)
      sink.finish({ bill: null, failure: null })
      const whole = Buffer.concat(sent.map(({ raw }) => raw)).toString()
      const isFailed = /error|failed|overloaded/.test(file)
      expect(written.text).toBe(api === chatApi && !isFailed ? `${whole}data: [DONE]\n\n` : whole)

      const unasked = through(api, {}, sent).written.text
      const isUsageAlone = (text: string) =>
        api === chatApi && /"choices":\s*\[\]/.test(text) && /"usage":\s*\{/.test(text)
      const rest = sent.filter(({ data }) => !isUsageAlone(data)).map(({ raw }) => raw.toString())
      expect(rest.slice(0, api === chatApi && !isFailed ? undefined : -1).join('')).toBe(unasked)
    })
  }
})
