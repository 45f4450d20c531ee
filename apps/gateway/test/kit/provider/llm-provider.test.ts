import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type LlmTestProvider, startLlmProvider } from './llm-provider.ts'

let provider: LlmTestProvider

beforeAll(async () => {
  provider = await startLlmProvider()
})
afterEach(() => provider.bend({}))
afterAll(() => provider.stop())

const ask = (path: string, more: object = {}, signal?: AbortSignal) =>
  fetch(provider.url + path, {
    method: 'POST',
    headers: { 'farebox-invocation-id': 'inv_1' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    ...(signal !== undefined && { signal }),
  })
const chat = (more: object = {}, signal?: AbortSignal) => ask('/v1/chat/completions', more, signal)
const streamed = { stream: true, stream_options: { include_usage: true } }

/** Output before the answer ended or was cut. */
async function readAll(answer: Response): Promise<{ text: string; isCut: boolean }> {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const next = await reader?.read()
      if (next === undefined || next.done) return { text, isCut: false }
      text += decoder.decode(next.value, { stream: true })
    }
  } catch {
    return { text, isCut: true }
  }
}
const eventsOf = (text: string): string[] => text.split('\n\n').filter(event => event !== '')

test('records what it saw and counted', async () => {
  const from = provider.calls.length
  await fetch(provider.url)
  await (await chat({ max_tokens: 9 })).text()
  expect(provider.calls).toHaveLength(from + 1)
  const call = provider.call()
  await call.closed
  expect(call).toMatchObject({
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'm', max_tokens: 9 },
  })
  expect(call).toMatchObject({ tokens: { output: 9 }, hungUp: false, isDone: true })
  expect(call.headers['farebox-invocation-id']).toBe('inv_1')
})

test.each([
  ['/v1/chat/completions', streamed],
  ['/v1/messages', { stream: true, max_tokens: 9 }],
  ['/v1/responses', { stream: true, messages: undefined, input: 'Hi' }],
])('replaces or omits the usage of %s, whole and streamed', async (path, body) => {
  provider.bend({ usage: { replaceBy: { told: -7 } } })
  expect(await (await ask(path, { ...body, stream: false })).json()).toMatchObject({ usage: { told: -7 } })
  expect((await readAll(await ask(path, body))).text).toContain('"usage":{"told":-7}')
  provider.bend({ usage: { replaceBy: undefined } })
  expect(await (await ask(path, { ...body, stream: false })).json()).not.toHaveProperty('usage')
  provider.bend({ usage: usage => ({ ...usage, more: 1 }) })
  expect((await readAll(await ask(path, body))).text).toMatch(/"more":1/)
})

test('cuts a stream after the requested number of events, all of which arrive', async () => {
  for (const count of [0, 1, 5]) {
    provider.bend({ cutAfterEvents: count })
    const { text, isCut } = await readAll(await chat(streamed))
    expect(isCut).toBe(true)
    expect(eventsOf(text)).toHaveLength(count)
  }
  expect(provider.call()).toMatchObject({ hungUp: false, eventsSent: 5 })
})

test('cuts a stream after its usage, or omits only its closing event', async () => {
  provider.bend({ cutAfterUsage: true })
  const cut = await readAll(await chat(streamed))
  expect(cut.isCut).toBe(true)
  expect(eventsOf(cut.text).at(-1)).toContain('"choices":[],"usage":{')
  provider.bend({ skipDone: true })
  const open = await readAll(await chat(streamed))
  expect(open.isCut).toBe(false)
  expect(open.text).not.toContain('[DONE]')
  provider.bend({ endAfterEvents: 3 })
  const short = await readAll(await chat(streamed))
  expect(short.isCut).toBe(false)
  expect(eventsOf(short.text)).toHaveLength(3)
})

test('resumes a silent stream when released, and notices a caller who leaves', async () => {
  provider.bend({ stallAfterEvents: 2, reply: 'One two three' })
  const answer = await chat(streamed)
  await until('it is silent', () => provider.call().eventsSent === 2)
  provider.release()
  expect((await readAll(answer)).text).toContain('[DONE]')

  const leaving = new AbortController()
  await chat(streamed, leaving.signal)
  await until('it is silent', () => provider.call().eventsSent === 2)
  expect(provider.inFlight).toBe(1)
  leaving.abort()
  await provider.call().closed
  expect(provider.call()).toMatchObject({ hungUp: true, isDone: false })
  expect(provider.inFlight).toBe(0)
})

test('sets status, body, type, headers, injected and changed events as requested', async () => {
  provider.bend({ status: 503, body: { error: 'busy' }, headers: { 'set-cookie': ['a=1', 'b=2'] } })
  const busy = await chat()
  expect([busy.status, await busy.json()]).toEqual([503, { error: 'busy' }])
  expect(busy.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  provider.bend({ body: 'plain', contentType: 'text/html' })
  const plain = await chat(streamed)
  expect([plain.status, plain.headers.get('content-type'), await plain.text()]).toEqual([
    200,
    'text/html',
    'plain',
  ])
  provider.bend({
    reply: 'Hi',
    inject: [{ afterEvents: 1, raw: 'event: gateway\ndata: {}\n\n' }],
    mapEvent: (event, index) => (index === 1 ? { ...event, data: { changed: true } } : event),
  })
  const [, injected, changed] = eventsOf((await readAll(await chat(streamed))).text)
  expect([injected, changed]).toEqual(['event: gateway\ndata: {}', 'data: {"changed":true}'])
})

test('sends events with other line endings and in small pieces on request', async () => {
  provider.bend({ reply: 'A 🛶 crosses', bytesPerWrite: 3, mapText: text => text.replaceAll('\n', '\r\n') })
  const { text } = await readAll(await chat(streamed))
  expect(text).toContain('data: [DONE]\r\n\r\n')
  expect(text.replaceAll('\r\n', '\n').split('\n\n').length).toBe(provider.call().eventsSent + 1)
  expect(text).toContain('🛶')
})

test('changes its behaviour call by call, and serves an unmodified client', async () => {
  provider.bend(call => (call.body?.model === 'bad' ? { status: 500 } : { reply: 'Fine.' }))
  const client = new OpenAI({ apiKey: 'none', baseURL: `${provider.url}/v1`, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  await expect(client.chat.completions.create({ model: 'bad', messages })).rejects.toThrow(
    OpenAI.InternalServerError,
  )
  const stream = client.chat.completions.stream({ model: 'good', messages })
  expect(await stream.finalContent()).toBe('Fine.')
})
