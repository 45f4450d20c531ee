import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { complete } from '../../../src/dev/sample-llm/complete.ts'
import { type Completion, type Dialect, type LlmEvent, Refusal } from '../../../src/dev/sample-llm/dialect.ts'
import { startPace } from '../../../src/dev/sample-llm/pace.ts'
import { eventText, hangUpSignal, sendJson, write } from '../../../src/dev/sample-llm/send-answer.ts'
import { dialectAt, jsonOf } from '../../../src/dev/sample-llm/start-sample-llm.ts'
import { loadTokenizer } from '../../../src/dev/sample-llm/tokenizer.ts'
import { listen } from '../network/loopback.ts'

type Json = Record<string, unknown>

/** How the sample is bent. Event counts are of the events that went out, injected ones not counted. */
export type LlmBend = {
  /** Default 0: as fast as it can. */
  readonly tokensPerSecond?: number
  /** Default 0. */
  readonly firstTokenDelayMs?: number
  /** What it says; default a text made from the prompt. `max_tokens` cuts this too. */
  readonly reply?: string
  /**
   * The final usage block in place of the true one: another value, or what a function makes of the true one;
   * `undefined` as a value leaves the member out. Streams: the event with the final usage (of Anthropic
   * `message_delta`, not `message_start`).
   */
  readonly usage?: { readonly replaceBy: unknown } | ((usage: Json) => unknown)
  /** Sends the usage event of OpenAI chat streams although nobody asked for it (`stream_options`), or never. */
  readonly includeUsage?: boolean
  /** Cuts the connection after so many events. 0: after the head. */
  readonly cutAfterEvents?: number
  /** Cuts the connection after the event with the final usage. */
  readonly cutAfterUsage?: boolean
  /** Ends the stream properly, by its framing, after so many events. */
  readonly endAfterEvents?: number
  /** Falls silent after so many events, until `release()` or the caller leaves. */
  readonly stallAfterEvents?: number
  /** Falls silent before the head of the answer, likewise. */
  readonly stallBeforeHead?: boolean
  /** Leaves out what closes a stream after its usage: `[DONE]`, `message_stop`. */
  readonly skipDone?: boolean
  /** Answers with this status and `body` (JSON, or text as it is) instead of a completion. */
  readonly status?: number
  readonly body?: unknown
  /** Content type of the answer. */
  readonly contentType?: string
  /** More headers of the answer. */
  readonly headers?: OutgoingHttpHeaders
  /** Raw text sent after so many events, `event: gateway\ndata: {}\n\n` for one. */
  readonly inject?: readonly { readonly afterEvents: number; readonly raw: string }[]
  /** Changes each event before it goes out; null leaves it out. The index counts from 0. */
  readonly mapEvent?: (event: LlmEvent, index: number) => LlmEvent | null
  /** Changes the text of each event as it goes over the wire: other line ends, comments, nonsense. */
  readonly mapText?: (text: string) => string
  /** Sends events in pieces of so many bytes, each on its own. */
  readonly bytesPerWrite?: number
  /** Changes an answer that is not streamed. */
  readonly mapAnswer?: (answer: Json) => unknown
}

/** A call as the provider saw it, and what became of it. */
export type LlmCall = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** As sent. */
  readonly text: string
  /** Parsed; null when it is no JSON object. */
  readonly body: Json | null
  /** True counts, whatever was told; null until the completion is made. */
  tokens: { readonly input: number; readonly output: number } | null
  eventsSent: number
  /** True when the caller closed before the answer was out. */
  hungUp: boolean
  /** True when this side sent all it meant to, or cut the connection as it was told to. */
  isDone: boolean
  /** Resolves when the answer is out or the connection is gone. */
  readonly closed: Promise<void>
}

/** The sample LLM provider for tests: in this process, at full speed, and to be bent. */
export type LlmTestProvider = {
  /** Without a path. `${url}/v1/chat/completions`, `/v1/responses` and `/v1/messages` are its endpoints. */
  readonly url: string
  /** Every POST, in order of arrival; health probes (GET, HEAD) are answered and not counted. */
  readonly calls: LlmCall[]
  /** Calls that are being answered. */
  readonly inFlight: number
  /** Bends every call from now on; `{}` makes it straight again. A function decides call by call. */
  bend(how: LlmBend | ((call: LlmCall) => LlmBend)): void
  /** Lets calls that fell silent go on. */
  release(): void
  /** The n-th call (default: the last). Fails when there is none. */
  call(index?: number): LlmCall
  /** Stops listening and cuts every connection. */
  stop(): Promise<void>
}

/** Starts the sample LLM on a free loopback port. */
export async function startLlmProvider(
  initial: LlmBend | ((call: LlmCall) => LlmBend) = {},
): Promise<LlmTestProvider> {
  await loadTokenizer()
  const calls: LlmCall[] = []
  let bendOf = typeof initial === 'function' ? initial : () => initial
  let released = Promise.withResolvers<void>()
  let inFlight = 0

  const server = createServer(async (request, response) => {
    inFlight += 1
    // A caller may leave while it is written to.
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
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
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

/** The usage block of an answer or event replaced, wherever its API has it. */
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

/** Cuts the connection once what was written is on its way. */
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
