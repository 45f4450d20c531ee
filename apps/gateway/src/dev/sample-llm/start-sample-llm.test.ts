import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../../test/kit/until.ts'
import type { SampleProvider } from '../samples/sample-server.ts'
import type { LlmEvent } from './dialect.ts'
import type { Speed } from './pace.ts'
import { readSpeed } from './read-speed.ts'
import { sendEvents } from './send-answer.ts'
import { startSampleLlm } from './start-sample-llm.ts'

const FULL_SPEED = { tokensPerSecond: 0, firstTokenDelayMs: 0 }

let directory: string
const running: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-sample-llm-'))
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(server => server.stop()))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function start(speed: Speed = FULL_SPEED): Promise<SampleProvider> {
  const sample = await startSampleLlm(join(directory, 'port'), speed)
  running.push(sample)
  return sample
}

const chat = (url: string, more: object = {}, signal?: AbortSignal) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...more }),
    ...(signal !== undefined && { signal }),
  })

/** Streams events to each request, by {@link sendEvents}; returns the outcomes. */
async function startStream(events: () => Iterable<LlmEvent>, speed: Speed) {
  const outcome = Promise.withResolvers<unknown>()
  const responses: ServerResponse[] = []
  const server = createServer((_, response) => {
    responses.push(response)
    sendEvents(response, events(), speed).then(outcome.resolve, outcome.resolve)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  running.push({
    async stop() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, outcome: outcome.promise, responses }
}

test('answers a GET as a health check at its paths, and with 404 elsewhere', async () => {
  const { url } = await start()
  for (const path of ['/', '/health', '/v1/chat/completions', '/v1/responses', '/v1/messages'])
    expect((await fetch(url + path)).status).toBe(200)
  expect((await fetch(`${url}/v2`)).status).toBe(404)
})

test('rejects invalid requests, and answers the next valid one', async () => {
  const { url } = await start()
  const post = async (path: string, body: string, method = 'POST') =>
    (await fetch(url + path, { method, body })).status
  expect(await post('/v1/unknown', '{}')).toBe(404)
  expect(await post('/v1/chat/completions', '{}', 'PUT')).toBe(405)
  expect(await post('/v1/chat/completions', '{no json')).toBe(400)
  expect(await post('/v1/chat/completions', 'null')).toBe(400)
  expect(await post('/v1/messages', 'x'.repeat(1_048_577))).toBe(413)
  expect((await chat(url)).status).toBe(200)
})

test('restarts at the same URL, or at another one when it is taken', async () => {
  const first = await start()
  await first.stop()
  running.length = 0
  const second = await start()
  expect(second.url).toBe(first.url)
  expect((await start()).url).not.toBe(second.url)
})

test('answers at the configured speed, streamed or whole', async () => {
  const { url } = await start({ tokensPerSecond: 100, firstTokenDelayMs: 100 })
  for (const stream of [true, false]) {
    const begin = performance.now()
    await (await chat(url, { stream, max_tokens: 60 })).text()
    const tookMs = performance.now() - begin
    expect(tookMs).toBeGreaterThan(695)
    expect(tookMs).toBeLessThan(6_000)
  }
})

test('ends the stream at once when its caller leaves, though the next token is an hour away', async () => {
  let isEnded = false
  function* events(): Generator<LlmEvent> {
    try {
      yield { name: null, data: { first: true }, tokens: 0, part: 'body' }
      yield { name: null, data: { first: false }, tokens: 1, part: 'body' }
    } finally {
      isEnded = true
    }
  }
  const stream = await startStream(events, { tokensPerSecond: 0, firstTokenDelayMs: 3_600_000 })
  const leaving = new AbortController()
  const answer = await fetch(stream.url, { signal: leaving.signal })
  await answer.body?.getReader().read()
  leaving.abort()
  expect(await stream.outcome).toMatchObject({ name: 'AbortError' })
  expect(isEnded).toBe(true)
})

test('waits for a caller that does not read, and goes on when it does', async () => {
  const data = { filling: 'x'.repeat(65_536) }
  const count = 500
  let made = 0
  function* events(): Generator<LlmEvent> {
    for (; made < count; made += 1) yield { name: null, data, tokens: 1, part: 'body' }
  }
  const stream = await startStream(events, FULL_SPEED)
  const answer = await new Promise<IncomingMessage>((done, fail) => get(stream.url, done).once('error', fail))
  answer.pause()
  await until('the stream waits', () => stream.responses[0]?.writableNeedDrain === true)
  expect(made).toBeLessThan(count / 2)
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) bytes += chunk.length
  expect(made).toBe(count)
  expect(bytes).toBe(count * `data: ${JSON.stringify(data)}\n\n`.length)
})

test('reads its speed from the environment, and names an invalid setting', () => {
  expect(readSpeed({})).toEqual({ tokensPerSecond: 80, firstTokenDelayMs: 200 })
  expect(readSpeed({ SAMPLE_LLM_TOKENS_PER_SECOND: '' }).tokensPerSecond).toBe(80)
  const given = { SAMPLE_LLM_TOKENS_PER_SECOND: '0', SAMPLE_LLM_FIRST_TOKEN_MS: '5' }
  expect(readSpeed(given)).toEqual({ tokensPerSecond: 0, firstTokenDelayMs: 5 })
  expect(() => readSpeed({ SAMPLE_LLM_TOKENS_PER_SECOND: 'fast' })).toThrow('SAMPLE_LLM_TOKENS_PER_SECOND')
  expect(() => readSpeed({ SAMPLE_LLM_FIRST_TOKEN_MS: '-1' })).toThrow('SAMPLE_LLM_FIRST_TOKEN_MS')
})
