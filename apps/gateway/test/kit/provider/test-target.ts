import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../network/loopback.ts'

/** The target of a service on a real socket, with configurable answers. */
export type TestTarget = {
  readonly url: string
  readonly origin: string
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[]
  /** Sets the answer: a status or a handler. */
  answer(how: number | ((request: IncomingMessage, response: ServerResponse) => void)): void
  /** Sets the answer to ownership proofs (`/.well-known/farebox.json`), which are not in `requests`. */
  prove(how: { status: number; body: string; location?: string }): void
  stop(): Promise<void>
}

/** Starts a target on a free loopback port. By default it answers 200 and proves no ownership. */
export async function startTarget(): Promise<TestTarget> {
  const requests: TestTarget['requests'] = []
  let respond: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    response.end('{}')
  let proof: Parameters<TestTarget['prove']>[0] = { status: 404, body: '' }
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    if (url === '/.well-known/farebox.json') {
      const { status, body, location } = proof
      const type = { 'content-type': 'application/json' }
      response.writeHead(status, { ...type, ...(location !== undefined && { location }) }).end(body)
      return
    }
    requests.push({ method, url, headers })
    respond(request, response)
  })
  const { origin, stop } = await listen(server)
  return {
    url: `${origin}/call`,
    origin,
    requests,
    answer(how) {
      respond =
        typeof how === 'function'
          ? how
          : (_, response) => response.writeHead(how, { location: '/' }).end('{}')
    },
    prove(how) {
      proof = how
    },
    stop,
  }
}
