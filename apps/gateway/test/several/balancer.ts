import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../kit/network/loopback.ts'
import { until } from '../kit/until.ts'

/** Interval and timeout of readiness checks, in ms. */
const ASK_EVERY_MS = 50
const ASK_TIMEOUT_MS = 2_000

/** Address of a gateway, which may change on a restart. */
export type Backend = { readonly url: string }

/**
 * A load balancer like those of operators: round-robin over the gateways whose `GET /ready` answers 200, with
 * persistent connections. Retries only if no connection was made; other failures become 502.
 */
export type Balancer = {
  readonly url: string
  add(backend: Backend): void
  /** Waits until this many gateways are ready. */
  untilReady(count: number): Promise<void>
  /** Number of answers by backend, in the order of their first answer. */
  answered(): number[]
  stop(): Promise<void>
}

type Known = { readonly backend: Backend; isReady: boolean; isAsked: boolean; answers: number }

/** Starts a balancer without gateways. */
export async function startBalancer(): Promise<Balancer> {
  const known: Known[] = []
  const agent = new Agent({ keepAlive: true })
  const asking = new Agent({ keepAlive: false })
  let turn = 0

  const timer = setInterval(() => {
    for (const one of known) if (!one.isAsked) void ask(asking, one)
  }, ASK_EVERY_MS)

  /** Returns the gateways to try for one request, in turn. */
  const inTurn = (): Known[] => {
    const ready = known.filter(one => one.isReady)
    turn += 1
    return ready.map((_, index) => ready[(turn + index) % ready.length]).filter(one => one !== undefined)
  }

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    for (const one of inTurn()) {
      try {
        const answer = await forward(agent, one.backend, incoming, body)
        one.answers += 1
        return passOn(answer, outgoing)
      } catch (error) {
        if (wasConnected(error)) return refuse(outgoing, error)
        one.isReady = false
      }
    }
    refuse(outgoing, new Error('No gateway is ready.'))
  })
  const { origin, stop } = await listen(server)

  return {
    url: origin,
    add: backend => void known.push({ backend, isReady: false, isAsked: false, answers: 0 }),
    untilReady: count =>
      until(`${count} gateways are ready`, () => known.filter(one => one.isReady).length === count),
    answered: () => known.map(({ answers }) => answers),
    async stop() {
      clearInterval(timer)
      await stop()
      agent.destroy()
      asking.destroy()
    },
  }
}

async function ask(agent: Agent, one: Known): Promise<void> {
  one.isAsked = true
  one.isReady = await isReady(agent, one.backend)
  one.isAsked = false
}

async function isReady(agent: Agent, { url }: Backend): Promise<boolean> {
  try {
    const asked = request(`${url}/ready`, { agent, timeout: ASK_TIMEOUT_MS }).end()
    asked.once('timeout', () => asked.destroy())
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode === 200
  } catch {
    return false
  }
}

async function forward(
  agent: Agent,
  { url }: Backend,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> {
  const { connection: _, 'transfer-encoding': __, ...headers } = incoming.headers
  const sent = request(`${url}${incoming.url}`, {
    agent,
    method: incoming.method ?? 'GET',
    headers: { ...headers, 'content-length': body.length },
  }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}

function passOn(answer: IncomingMessage, outgoing: ServerResponse): void {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...headers } = answer.headers
  outgoing.writeHead(answer.statusCode ?? 502, headers)
  answer.once('error', () => outgoing.destroy())
  answer.pipe(outgoing)
}

const wasConnected = (error: unknown): boolean =>
  !(error instanceof Error && 'syscall' in error && error.syscall === 'connect')

function refuse(outgoing: ServerResponse, error: unknown): void {
  outgoing.writeHead(502, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ code: 'BAD_GATEWAY', message: String(error) }))
}
