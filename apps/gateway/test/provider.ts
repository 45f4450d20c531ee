import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A request as the provider saw it. */
export type SeenCall = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How a provider answers; may be async, may leave the caller waiting, may cut the line. */
export type Respond = (call: SeenCall, response: ServerResponse, request: IncomingMessage) => unknown

/** A provider on a real socket. Health probes (GET on `/`) are answered and not counted as calls. */
export type TestProvider = {
  /** Target URL of its service. */
  readonly url: string
  /** Every call, in order of arrival. */
  readonly calls: SeenCall[]
  /** Answers from now on; the default is a small JSON object with the number of the call. */
  respondWith(respond: Respond): void
  /** Stops listening and cuts every connection. */
  stop(): Promise<void>
}

/** Starts a provider on a free loopback port. */
export async function startProvider(): Promise<TestProvider> {
  const calls: SeenCall[] = []
  const sockets = new Set<Socket>()
  let respond: Respond = (_, response) => sendJson(response, 200, { number: calls.length })

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    if (headers['farebox-invocation-id'] === undefined) {
      response.end()
      return
    }
    const call = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
    calls.push(call)
    await respond(call, response, request)
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The provider has no port.')

  return {
    url: `http://127.0.0.1:${address.port}/`,
    calls,
    respondWith(next) {
      respond = next
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
