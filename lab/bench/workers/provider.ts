import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Script } from './messages.ts'
import { announce } from './worker-process.ts'

/**
 * The provider: bare node:http that parses JSON and answers at once. A call at a fixed price gets about 200 bytes that
 * repeat its number, so that a caller can tell its own answer from another's. A chat completion gets what its
 * member `bench` asks for, whole or streamed. There is
 * no tokenizer: what is measured is the way to the caller. One ticker serves all streams.
 */

const TICK_MS = 2
/** A kept connection must not be closed under a call, so it is kept longer than any round lasts. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000
/** Connections that may wait to be accepted: a thousand callers come nearly at once. */
const BACKLOG = 4_096

type Asked = {
  readonly number?: number
  readonly stream?: boolean
  readonly bench?: Script
}
type Running = {
  readonly response: ServerResponse
  readonly script: Script
  readonly startedAt: number
  sent: number
}

const NOTE = 'A fare is taken once, whoever asks how often. '.repeat(3)
const HEAD = 'data: {"id":"bench","object":"chat.completion.chunk","created":1795000000,"model":"bench",'
const PIECE = `${HEAD}"choices":[{"index":0,"delta":{"content":" fare"},"finish_reason":null}]`
const FINISH = `${HEAD}"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`

const running = new Set<Running>()
let ticker: NodeJS.Timeout | null = null

const server = createServer(async (request, response) => {
  const body = await text(request)
  const { number = null, stream, bench } = (body === '' ? {} : JSON.parse(body)) as Asked
  if (bench === undefined) return answer(response, { ok: true, number, note: NOTE })
  if (stream !== true) return answer(response, { ...completion(bench), number })
  const started = { response, script: bench, startedAt: performance.now(), sent: 0 }
  response.once('close', () => running.delete(started))
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  running.add(started)
  ticker ??= setInterval(tick, TICK_MS)
  advance(started, started.startedAt)
})
server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => announce(server.address()))

function tick(): void {
  const now = performance.now()
  for (const stream of running) advance(stream, now)
  if (ticker === null || running.size > 0) return
  clearInterval(ticker)
  ticker = null
}

/** Sends the chunks that are due, as far as they are taken; after the last, the usage. */
function advance(stream: Running, now: number): void {
  const { response, script, startedAt } = stream
  const { chunks, paceMs } = script
  const due = paceMs === 0 ? chunks : Math.min(chunks, 1 + Math.floor((now - startedAt) / paceMs))
  while (stream.sent < due && !response.writableNeedDrain) {
    response.write(`${PIECE},"n":${stream.sent}}\n\n`, 'latin1')
    stream.sent += 1
  }
  if (stream.sent < chunks) return
  running.delete(stream)
  const usage = `${HEAD}"choices":[],"usage":${JSON.stringify(usageOf(script))}}\n\n`
  response.end(`${FINISH}${usage}data: [DONE]\n\n`)
}

const usageOf = ({ inputTokens, outputTokens }: Script) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
})

function completion(script: Script) {
  const message = { role: 'assistant', content: 'It costs one fare, and they will.' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const made = { object: 'chat.completion', created: 1_795_000_000, model: 'bench' }
  return { id: 'bench', ...made, choices, usage: usageOf(script) }
}

function answer(response: ServerResponse, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}
