import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Script } from '../messages.ts'
import { announce } from './announce.ts'
import { machineNow } from './shared-clock.ts'

/**
 * The model: bare node:http that speaks OpenAI's chat completions, whole and streamed, as the `bench` member of the
 * request says. It has no tokenizer and no text of its own: what is measured is the way to the caller. One ticker
 * serves all streams, so that a thousand of them do not cost a thousand timers.
 */

const TICK_MS = 2
/** A kept connection must not be closed under a call, so it is kept longer than any round lasts. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000
/** Connections that may wait to be accepted: a thousand callers come nearly at once. */
const BACKLOG = 4_096

type Asked = { readonly stream?: boolean; readonly number?: number; readonly bench?: Script }
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
const DONE = 'data: [DONE]\n\n'

const running = new Set<Running>()

const server = createServer(async (request, response) => {
  const body = await textOf(request)
  const { stream, number, bench } = (body === '' ? {} : JSON.parse(body)) as Asked
  // Health probes and calls of a fixed price.
  if (bench === undefined) return void answer(response, { ok: true, number, note: NOTE })
  if (stream !== true) return void answer(response, completion(bench, number))
  const started = { response, script: bench, startedAt: performance.now(), sent: 0 }
  response.once('close', () => running.delete(started))
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  running.add(started)
  advance(started, started.startedAt)
})
server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => announce(server.address()))

setInterval(() => {
  const now = performance.now()
  for (const stream of running) advance(stream, now)
}, TICK_MS)

/** Sends the chunks that are due, as far as they are taken; after the last, the usage. */
function advance(stream: Running, now: number): void {
  const { response, script, startedAt } = stream
  const { chunks, paceMs, cutAfter } = script
  const due = paceMs === 0 ? chunks : Math.min(chunks, 1 + Math.floor((now - startedAt) / paceMs))
  while (stream.sent < due && !response.writableNeedDrain) {
    if (stream.sent === cutAfter) {
      running.delete(stream)
      response.destroy()
      return
    }
    response.write(`${PIECE},"n":${stream.sent},"at":${machineNow().toFixed(3)}}\n\n`, 'latin1')
    stream.sent += 1
  }
  if (stream.sent < chunks) return
  running.delete(stream)
  const usage = `${HEAD}"choices":[],"usage":${JSON.stringify(usageOf(script))}}\n\n`
  response.end(FINISH + usage + DONE)
}

function usageOf({ inputTokens, outputTokens }: Script) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

function completion(script: Script, number: number | undefined) {
  const message = { role: 'assistant', content: 'It costs one fare, and they will.' }
  return {
    id: 'bench',
    object: 'chat.completion',
    created: 1_795_000_000,
    model: 'bench',
    number,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: usageOf(script),
  }
}

function answer(response: ServerResponse, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.once('end', () => resolve(text))
    request.once('error', reject)
  })
}
