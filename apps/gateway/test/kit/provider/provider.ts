import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../network/loopback.ts'

/** A request as the provider received it. */
export type SeenCall = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers a request; may be async, leave the caller waiting or close the connection. */
export type Respond = (call: SeenCall, response: ServerResponse, request: IncomingMessage) => unknown

/** A provider on a real socket. Health probes (GET on `/`) are answered and not counted as calls. */
export type TestProvider = {
  /** Target URL of its service. */
  readonly url: string
  /** All calls, in order of arrival. */
  readonly calls: SeenCall[]
  /** Sets the answer to calls, by default a JSON object with the number of the call. */
  respondWith(respond: Respond): void
  /** Sets the status of answers to probes, by default 200. */
  answerProbes(status: number): void
  /** Stops listening and closes every connection. */
  stop(): Promise<void>
}

/** Starts a provider on a free loopback port. */
export async function startProvider(): Promise<TestProvider> {
  const calls: SeenCall[] = []
  let probeStatus = 200
  let respond: Respond = (_, response) => sendJson(response, 200, { number: calls.length })

  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { method = '', url = '', headers } = request
    if (headers['farebox-invocation-id'] === undefined) {
      response.writeHead(probeStatus).end()
      return
    }
    const call = { method, url, headers, body }
    calls.push(call)
    await respond(call, response, request)
  })
  const { origin, stop } = await listen(server)

  return {
    url: `${origin}/`,
    calls,
    respondWith(next) {
      respond = next
    },
    answerProbes(status) {
      probeStatus = status
    },
    stop,
  }
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
