import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type Listening, listen } from '../../../apps/gateway/test/kit/network/loopback.ts'
import type { Point, ProviderName } from '../plan.ts'
import { drawOf } from '../random.ts'

/** Time between two events of the model, in ms. */
const EVENT_MS = 8
/** Slow answers take from this, in ms, up to four times that. */
const SLOW_MS = 80
/** Health checks and the like carry no call. */
const CALL_HEADER = 'farebox-invocation-id'

/** A request as a provider received it. */
export type Arrival = {
  /** `credential key`: which request of the laboratory's callers it belongs to. */
  readonly call: string
  readonly invocationId: string
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string
}

/** Usage of a model, whether or not its answer arrived. */
export type Usage = { readonly inputTokens: number; readonly outputTokens: number }

/** The member `user` of every payload. */
export type CallNote = {
  readonly call: string
  /** Number of the gateway that the caller has asked. */
  readonly via: number
}

/** The real servers behind the services, each with a way of its own. */
export type Providers = {
  readonly ports: Readonly<Record<Exclude<ProviderName, 'spare'>, number>>
  /** All that arrived since the last time. */
  takeArrivals(): Arrival[]
  /** Usage of a call to the model; undefined when it never arrived there. */
  usageOf(invocationId: string): Usage | undefined
  /** Called when a call of a gateway reaches a point. */
  onPoint: (point: Point, via: number) => void
  stop(): Promise<void>
}

type Exchange = {
  readonly note: CallNote
  readonly body: Readonly<Record<string, unknown>>
  readonly response: ServerResponse
  readonly reached: (point: Point) => void
  readonly invocationId: string
}

/** Starts them. How one answers a call depends on the call alone: the same at every run. */
export async function startProviders(): Promise<Providers> {
  let arrivals: Arrival[] = []
  const usages = new Map<string, Usage>()
  const ways: Record<Exclude<ProviderName, 'spare'>, (exchange: Exchange) => Promise<void>> = {
    fixed: async ({ note, response, reached }) => {
      answer(response, 200, { echo: note.call })
      reached('provider answered')
    },
    slow: answerSlowly,
    failing: failOften,
    model: exchange => answerAsModel(exchange, usages),
  }
  const servers = new Map<ProviderName, Listening>()
  const providers = {
    takeArrivals() {
      const taken = arrivals
      arrivals = []
      return taken
    },
    usageOf: (id: string) => usages.get(id),
    onPoint: (_point: Point, _via: number): void => undefined,
    async stop() {
      for (const server of servers.values()) await server.stop()
    },
  }
  for (const name of Object.keys(ways) as (keyof typeof ways)[]) {
    const server = await serve(async (request, response) => {
      const sent = await text(request)
      const invocationId = request.headers[CALL_HEADER]
      if (typeof invocationId !== 'string') return void response.end()
      const body = JSON.parse(sent) as Record<string, unknown>
      const note = JSON.parse(String(body.user)) as CallNote
      arrivals.push({
        call: note.call,
        invocationId,
        idempotencyKey: String(request.headers['idempotency-key']),
      })
      const reached = (point: Point) => providers.onPoint(point, note.via)
      reached('provider asked')
      await ways[name]({ note, body, response, reached, invocationId })
    })
    servers.set(name, server)
  }
  const port = (name: ProviderName) => servers.get(name)?.port ?? 0
  return Object.assign(providers, {
    ports: { fixed: port('fixed'), slow: port('slow'), failing: port('failing'), model: port('model') },
  })
}

async function answerSlowly({ note, response, reached }: Exchange): Promise<void> {
  const body = JSON.stringify({ echo: note.call, text: 'slowly '.repeat(50) })
  const half = body.length >> 1
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  await delay(SLOW_MS)
  response.write(body.slice(0, half))
  await delay(SLOW_MS * 3 * drawOf(note.call))
  reached('half of the body sent')
  response.end(body.slice(half))
  reached('provider answered')
}

async function failOften({ note, response }: Exchange): Promise<void> {
  const draw = drawOf(note.call)
  if (draw < 0.15) return answer(response, 503, { error: 'busy' })
  if (draw < 0.3) return answer(response, 422, { error: 'never', echo: note.call })
  if (draw < 0.4) return void response.socket?.resetAndDestroy()
  if (draw < 0.5) return answer(response, 200, '{"not json')
  answer(response, 200, { echo: note.call })
}

/** Some answers of the model are streams, some streams break off, and some answers lack usage. */
async function answerAsModel(exchange: Exchange, usages: Map<string, Usage>): Promise<void> {
  const { note, body, response, reached, invocationId } = exchange
  const draw = drawOf(`${note.call} model`)
  const usage = { inputTokens: 20 + Math.floor(draw * 30), outputTokens: 5 + Math.floor(draw * 30) }
  usages.set(invocationId, usage)
  const block = {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
  const statesUsage = draw > 0.1
  if (body.stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content: note.call }, finish_reason: 'stop' }]
    answer(response, 200, {
      id: invocationId,
      object: 'chat.completion',
      choices,
      ...(statesUsage && { usage: block }),
    })
    reached('provider answered')
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = usage.outputTokens
  const breaksAt = draw > 0.9 ? events >> 1 : null
  for (let index = 0; index < events; index += 1) {
    if (response.destroyed) return
    if (index === events >> 1) reached('half of the body sent')
    if (index === breaksAt) return void response.socket?.resetAndDestroy()
    event(response, { choices: [{ index: 0, delta: { content: `${index} ` } }] })
    await delay(EVENT_MS)
  }
  event(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  if (statesUsage) event(response, { choices: [], usage: block })
  response.end('data: [DONE]\n\n')
  reached('provider answered')
}

const event = (response: ServerResponse, data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`)

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Listening> {
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    // A request that was cut on its way here gets no answer.
    handle(request, response).catch(() => response.destroy())
  })
  server.on('connection', socket => socket.on('error', () => undefined))
  return listen(server)
}
