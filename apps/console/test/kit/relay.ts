import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A request to the relay. */
type Asked = {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}
type Message = {
  readonly topic: string
  readonly message: string
  readonly tag: number
  /** The publishing client, which does not receive the message. */
  readonly from: string
  readonly publishedAt: number
  readonly expiresAt: number
}

/** A local relay between pages and phones. */
export type TestRelay = {
  readonly url: string
  /** All requests in order, with the project id of their connection. */
  readonly heard: readonly (Asked & { readonly project: string })[]
  /** The URL of each connection. */
  readonly visitors: readonly URLSearchParams[]
  /** Closes all connections and rejects new ones, or accepts them again. */
  beAway(isAway: boolean): void
  /** Returns the number of connections rejected while away. */
  missed(): number
  stop(): Promise<void>
}

/**
 * Starts a WalletConnect relay as its protocol describes it: messages are published to topics, stored until they
 * expire or are acknowledged, and pushed to all other subscribers. It cannot read them.
 *
 * @see https://specs.walletconnect.com/2.0/specs/servers/relay/relay-server-rpc
 */
export async function startRelay(): Promise<TestRelay> {
  const heard: (Asked & { project: string })[] = []
  const visitors: URLSearchParams[] = []
  const mailboxes = new Map<string, Message[]>()
  const subscribers = new Map<string, Map<WebSocket, string>>()
  /** Messages that were pushed and not acknowledged. */
  const underway = new Map<number, Message>()
  let isAway = false
  let pushes = 0
  let missed = 0

  /** Each client's id, the issuer of its token. */
  const clients = new Map<WebSocket, string>()
  const projects = new Map<WebSocket, string>()

  const keptOf = (topic: string) =>
    (mailboxes.get(topic) ?? []).filter(({ expiresAt }) => expiresAt > Date.now())
  const lettersOf = (topic: string, to: WebSocket) =>
    keptOf(topic).filter(({ from }) => from !== clients.get(to))

  function push(to: WebSocket, subscription: string, letter: Message): void {
    const { topic, message, tag, publishedAt } = letter
    pushes += 1
    underway.set(pushes, letter)
    const params = { id: subscription, data: { topic, message, tag, publishedAt } }
    to.send(JSON.stringify({ id: pushes, jsonrpc: '2.0', method: 'irn_subscription', params }))
  }

  function subscribe(socket: WebSocket, topic: string): string {
    const id = randomUUID()
    subscribers.set(topic, (subscribers.get(topic) ?? new Map<WebSocket, string>()).set(socket, id))
    // Push after the answer, which contains the subscription id.
    setImmediate(() => {
      for (const letter of lettersOf(topic, socket)) push(socket, id, letter)
    })
    return id
  }

  function publish(
    from: WebSocket,
    letter: { topic: unknown; message: unknown; tag: unknown; ttl: unknown },
  ): true {
    const { topic, message, tag, ttl } = letter as {
      topic: string
      message: string
      tag: number
      ttl: number
    }
    const now = Date.now()
    const kept = {
      topic,
      message,
      tag,
      from: clients.get(from) ?? '',
      publishedAt: now,
      expiresAt: now + ttl * 1_000,
    }
    mailboxes.set(topic, [...keptOf(topic), kept])
    for (const [socket, id] of subscribers.get(topic) ?? [])
      if (clients.get(socket) !== kept.from) push(socket, id, kept)
    return true
  }

  function answer(socket: WebSocket, { method, params }: Asked): unknown {
    const topics = params.topics as string[]
    const ttl = params.ttl ?? 300
    switch (method) {
      case 'irn_publish':
        return publish(socket, { topic: params.topic, message: params.message, tag: params.tag, ttl })
      case 'irn_subscribe':
        return subscribe(socket, params.topic as string)
      case 'irn_batchSubscribe':
        return topics.map(topic => subscribe(socket, topic))
      case 'irn_unsubscribe':
        return subscribers.get(params.topic as string)?.delete(socket) ?? false
      case 'irn_fetchMessages':
        return { messages: lettersOf(params.topic as string, socket), hasMore: false }
      case 'irn_batchFetchMessages':
        return { messages: topics.flatMap(topic => lettersOf(topic, socket)), hasMore: false }
      // Each combines two steps; the messages are encrypted as always.
      case 'wc_proposeSession':
        subscribe(socket, params.pairingTopic as string)
        return publish(socket, {
          topic: params.pairingTopic,
          message: params.sessionProposal,
          tag: 1100,
          ttl,
        })
      case 'wc_approveSession':
        subscribe(socket, params.sessionTopic as string)
        publish(socket, {
          topic: params.sessionTopic,
          message: params.sessionSettlementRequest,
          tag: 1102,
          ttl,
        })
        return publish(socket, {
          topic: params.pairingTopic,
          message: params.sessionProposalResponse,
          tag: 1101,
          ttl,
        })
      default:
        throw new Error(`The relay knows no ${method}.`)
    }
  }

  function hear(socket: WebSocket, text: string): void {
    const asked = JSON.parse(text) as Asked
    if (asked.method === undefined) {
      const got = underway.get(asked.id)
      underway.delete(asked.id)
      if (got !== undefined)
        mailboxes.set(
          got.topic,
          keptOf(got.topic).filter(letter => letter !== got),
        )
      return
    }
    heard.push({ ...asked, project: projects.get(socket) ?? '' })
    const { id } = asked
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: answer(socket, asked) }))
  }

  const sockets = new WebSocketServer({ noServer: true })
  sockets.on('connection', (socket: WebSocket, { url = '/' }: IncomingMessage) => {
    const query = new URL(url, 'ws://relay').searchParams
    visitors.push(query)
    projects.set(socket, query.get('projectId') ?? '')
    clients.set(socket, issuerOf(query.get('auth') ?? ''))
    socket.on('message', data => hear(socket, String(data)))
    socket.on('close', () => {
      clients.delete(socket)
      projects.delete(socket)
      for (const each of subscribers.values()) each.delete(socket)
    })
  })
  const server = createServer((_, response) => response.writeHead(426).end())
  server.on('upgrade', (request, socket, head) => {
    if (isAway) {
      missed += 1
      return socket.destroy()
    }
    sockets.handleUpgrade(request, socket, head, opened => sockets.emit('connection', opened, request))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hangUp = () => {
    for (const socket of sockets.clients) socket.terminate()
  }
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    visitors,
    beAway(next) {
      isAway = next
      if (isAway) hangUp()
    },
    missed: () => missed,
    async stop() {
      hangUp()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns the issuer of a JWT without verifying it. */
function issuerOf(token: string): string {
  const [, claims = ''] = token.split('.')
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string }).iss
}
