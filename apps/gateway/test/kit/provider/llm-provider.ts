import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isObject } from '@farebox/wire/common'
import { complete } from '../../../src/dev/sample-llm/complete.ts'
import { type Completion, type Dialect, type LlmEvent, Refusal } from '../../../src/dev/sample-llm/dialect.ts'
import { startPace } from '../../../src/dev/sample-llm/pace.ts'
import { eventText, hangUpSignal, sendJson, write } from '../../../src/dev/sample-llm/send-answer.ts'
import { dialectAt, jsonOf } from '../../../src/dev/sample-llm/start-sample-llm.ts'
import { loadTokenizer } from '../../../src/dev/sample-llm/tokenizer.ts'
import { listen } from '../network/loopback.ts'

type Json = Record<string, unknown>

/** Faults of the sample LLM. Event counts are of sent events without injected ones. */
export type LlmBend = {
  /** Default 0: unlimited. */
  readonly tokensPerSecond?: number
  /** Default 0. */
  readonly firstTokenDelayMs?: number
  /** The reply, by default made from the prompt. Truncated at `max_tokens`. */
  readonly reply?: string
  /**
   * Replaces the final usage block by a value, or by the result of a function of the true one;
   * `undefined` omits the member. Streams: the event with the final usage (of Anthropic
   * `message_delta`, not `message_start`).
   */
  readonly usage?: { readonly replaceBy: unknown } | ((usage: Json) => unknown)
  /** Sends the usage event of OpenAI chat streams always or never, whatever `stream_options` requests. */
  readonly includeUsage?: boolean
  /** Closes the connection after this number of events. 0: after the head. */
  readonly cutAfterEvents?: number
  /** Closes the connection after the event with the final usage. */
  readonly cutAfterUsage?: boolean
  /** Ends the stream regularly after this number of events. */
  readonly endAfterEvents?: number
  /** Stalls after this number of events until `release()` or the caller leaves. */
  readonly stallAfterEvents?: number
  /** Stalls before the head of the answer, likewise. */
  readonly stallBeforeHead?: boolean
  /** Omits the event that closes a stream after its usage: `[DONE]`, `message_stop`. */
  readonly skipDone?: boolean
  /** Answers with this status and `body` (JSON, or text as it is) instead of a completion. */
  readonly status?: number
  readonly body?: unknown
  /** Content type of the answer. */
  readonly contentType?: string
  /** More headers of the answer. */
  readonly headers?: OutgoingHttpHeaders
  /** Raw text sent after a number of events, e.g. `event: gateway\ndata: {}\n\n`. */
  readonly inject?: readonly { readonly afterEvents: number; readonly raw: string }[]
  /** Replaces each event before it is sent; null omits it. The index counts from 0. */
  readonly mapEvent?: (event: LlmEvent, index: number) => LlmEvent | null
  /** Replaces the text of each event on the wire: other line ends, comments, garbage. */
  readonly mapText?: (text: string) => string
  /** Sends events in separate chunks of this number of bytes. */
  readonly bytesPerWrite?: number
  /** Replaces an answer that is not streamed. */
  readonly mapAnswer?: (answer: Json) => unknown
}

/** A received call and its result. */
export type LlmCall = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** As sent. */
  readonly text: string
  /** Parsed; null if it is not a JSON object. */
  readonly body: Json | null
  /** True counts, even if others were sent; null until the completion is made. */
  tokens: { readonly input: number; readonly output: number } | null
  eventsSent: number
  /** True if the caller closed the connection before the answer was sent. */
  hungUp: boolean
  /** True if the provider sent everything, or closed the connection as configured. */
  isDone: boolean
  /** Resolves when the answer is sent or the connection is closed. */
  readonly closed: Promise<void>
}

/** The sample LLM provider in this process, at full speed and with faults. */
export type LlmTestProvider = {
  /** Without a path. `${url}/v1/chat/completions`, `/v1/responses` and `/v1/messages` are its endpoints. */
  readonly url: string
  /** All POSTs, in order of arrival; health probes (GET, HEAD) are answered and not counted. */
  readonly calls: LlmCall[]
  /** Number of calls in flight. */
  readonly inFlight: number
  /** Sets the faults of all calls from now on; `{}` ends them. A function decides for each call. */
  bend(how: LlmBend | ((call: LlmCall) => LlmBend)): void
  /** Resumes stalled calls. */
  release(): void
  /** Returns the n-th call, by default the last; throws if there is none. */
  call(index?: number): LlmCall
  /** Stops listening and closes every connection. */
  stop(): Promise<void>
}

/** Starts the sample LLM on a free loopback port. */
export async function startLlmProvider(): Promise<LlmTestProvider> {
  await loadTokenizer()
  const calls: LlmCall[] = []
  let bendOf: (call: LlmCall) => LlmBend = () => ({})
  let released = Promise.withResolvers<void>()
  let inFlight = 0

  const server = createServer(async (request, response) => {
    inFlight += 1
    // A caller may close the connection during a write.
    response.on('error', () => response.destroy())
    response.once('close', () => {
      inFlight -= 1
    })
    try {
      const sent = await text(request)
      if (request.method === 'GET' || request.method === 'HEAD') {
        sendJson(response, 200, { status: 'ok' })
        return
      }
      const call = recordCall({ request, response, text: sent })
      calls.push(call)
      await answer({ call, response, bend: bendOf(call), untilReleased: () => released.promise })
    } catch {
      response.destroy()
    }
  })
  const { origin, stop } = await listen(server)

  return {
    url: origin,
    calls,
    get inFlight() {
      return inFlight
    },
    bend(how) {
      bendOf = typeof how === 'function' ? how : () => how
    },
    release() {
      released.resolve()
      released = Promise.withResolvers<void>()
    },
    call(index = calls.length - 1) {
      const call = calls[index]
      if (call === undefined) throw new Error(`There is no call ${index}; ${calls.length} came.`)
      return call
    },
    stop,
  }
}

function recordCall(input: { request: IncomingMessage; response: ServerResponse; text: string }): LlmCall {
  const { request, response, text } = input
  const { method = '', url = '', headers } = request
  const closed = new Promise<void>(done => {
    response.once('close', () => {
      call.hungUp = !call.isDone
      done()
    })
  })
  const call: LlmCall = {
    method,
    url,
    headers,
    text,
    body: objectOf(text),
    tokens: null,
    eventsSent: 0,
    hungUp: false,
    isDone: false,
    closed,
  }
  return call
}

function objectOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

type Exchange = {
  readonly call: LlmCall
  readonly response: ServerResponse
  readonly bend: LlmBend
  readonly untilReleased: () => Promise<void>
}

async function answer(exchange: Exchange): Promise<void> {
  const { call, response, bend, untilReleased } = exchange
  for (const [name, value] of Object.entries(bend.headers ?? {}))
    if (value !== undefined) response.setHeader(name, value)
  if (bend.stallBeforeHead) await orHangUp(untilReleased(), hangUpSignal(response))
  const dialect = dialectAt(new URL(call.url, 'http://sample').pathname)
  if (bend.status !== undefined) {
    sendBody(exchange, bend.status, bend.body ?? { error: { message: `Bent to ${bend.status}.` } })
  } else if (dialect === null) {
    sendBody(exchange, 404, { error: { message: 'There is no such path.' } })
  } else {
    await answerPrompt(exchange, dialect)
  }
}

async function answerPrompt(exchange: Exchange, dialect: Dialect): Promise<void> {
  const { call, response, bend } = exchange
  try {
    const asked = dialect.read(jsonOf(call.text))
    const ask = { ...asked, includeUsage: bend.includeUsage ?? asked.includeUsage }
    const completion = complete(ask, await loadTokenizer(), bend.reply)
    call.tokens = { input: completion.inputTokens, output: completion.outputTokens }
    if (ask.isStream && bend.body === undefined) {
      await stream(exchange, dialect.events(completion))
      return
    }
    await startPace(speedOf(bend), hangUpSignal(response))(completion.outputTokens)
    sendBody(exchange, 200, bend.body ?? wholeOf(dialect, completion, bend))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    sendBody(exchange, error.status, dialect.error(error))
  }
}

function wholeOf(dialect: Dialect, completion: Completion, bend: LlmBend): unknown {
  const whole = bendUsage(dialect.whole(completion) as Json, bend)
  return bend.mapAnswer === undefined ? whole : bend.mapAnswer(whole)
}

async function stream(exchange: Exchange, events: Iterable<LlmEvent>): Promise<void> {
  const { call, response, bend, untilReleased } = exchange
  const signal = hangUpSignal(response)
  const pace = startPace(speedOf(bend), signal)
  response.writeHead(200, { 'content-type': bend.contentType ?? 'text/event-stream; charset=utf-8' })
  response.flushHeaders()
  for (const event of bentEvents(events, bend)) {
    await inject(exchange, signal)
    if (bend.cutAfterEvents === call.eventsSent) return cut(exchange)
    if (bend.endAfterEvents === call.eventsSent) break
    if (bend.stallAfterEvents === call.eventsSent) await orHangUp(untilReleased(), signal)
    await pace(event.tokens)
    await writeBent(exchange, eventText(event), signal)
    call.eventsSent += 1
    if (bend.cutAfterUsage && event.part === 'usage') return cut(exchange)
  }
  await inject(exchange, signal)
  if (bend.cutAfterEvents === call.eventsSent) return cut(exchange)
  call.isDone = true
  response.end()
}

async function writeBent({ response, bend }: Exchange, text: string, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(bend.mapText === undefined ? text : bend.mapText(text))
  const step = bend.bytesPerWrite ?? bytes.length
  for (let from = 0; from < bytes.length; from += step) {
    await write(response, bytes.subarray(from, from + step), signal)
    if (bend.bytesPerWrite !== undefined) await nextTurn()
  }
}

function* bentEvents(events: Iterable<LlmEvent>, bend: LlmBend): Generator<LlmEvent> {
  let index = 0
  for (const event of events) {
    if (bend.skipDone && event.part === 'end') continue
    const { data } = event
    const counted =
      event.part === 'usage' && typeof data === 'object'
        ? { ...event, data: bendUsage(data as Json, bend) }
        : event
    const bent = bend.mapEvent === undefined ? counted : bend.mapEvent(counted, index)
    index += 1
    if (bent !== null) yield bent
  }
}

/** Returns an answer or event with its usage block replaced, at the place where its API has it. */
function bendUsage(data: Json, { usage }: LlmBend): Json {
  if (usage === undefined) return data
  const inner = data.response as Json | undefined
  if (inner !== undefined) return { ...data, response: bendUsage(inner, { usage }) }
  return { ...data, usage: typeof usage === 'function' ? usage(data.usage as Json) : usage.replaceBy }
}

async function inject({ call, response, bend }: Exchange, signal: AbortSignal): Promise<void> {
  for (const { afterEvents, raw } of bend.inject ?? [])
    if (afterEvents === call.eventsSent) await write(response, raw, signal)
}

/** Closes the connection after everything written is sent. */
async function cut({ call, response }: Exchange): Promise<void> {
  call.isDone = true
  await nextTurn()
  response.socket?.destroySoon()
}

function sendBody({ call, response, bend }: Exchange, status: number, body: unknown): void {
  call.isDone = true
  const isText = typeof body === 'string'
  response.writeHead(status, {
    'content-type': bend.contentType ?? (isText ? 'text/plain' : 'application/json'),
  })
  response.end(isText ? body : JSON.stringify(body))
}

async function orHangUp(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const left = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => left.reject(signal.reason), { once: true })
  await Promise.race([wait, left.promise])
}

const speedOf = ({ tokensPerSecond = 0, firstTokenDelayMs = 0 }: LlmBend) => ({
  tokensPerSecond,
  firstTokenDelayMs,
})
