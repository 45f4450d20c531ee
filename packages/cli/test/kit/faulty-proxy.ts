import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../../../apps/gateway/test/kit/network/loopback.ts'

/**
 * A fault of requests whose path or body has a text: they, their answers, the bodies of these or their second halves are
 * lost, or a part of the answers is replaced.
 */
export type Fault = {
  readonly text: string
  readonly loses?: 'request' | 'answer' | 'body' | 'half'
  readonly replaces?: readonly [part: string, by: string]
}

/** A proxy that loses some requests with their connections, or the answers to them, or changes these. */
export type FaultyProxy = {
  readonly url: string
  /** Sets the fault from now on; without an argument, none. */
  fail(fault?: Fault): void
  stop(): Promise<void>
}

/** Starts a proxy before an HTTP server. */
export async function startFaultyProxy(to: string): Promise<FaultyProxy> {
  let fault: Fault | undefined
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const body = await text(request)
    const { loses, replaces } = fault !== undefined && (url + body).includes(fault.text) ? fault : {}
    if (loses === 'request') return request.socket.destroy()
    const kept = ['content-type', 'authorization', 'x-idempotency-key', 'x-credential']
    const answer = await fetch(to + url, {
      method,
      headers: kept.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
      ...(body !== '' && { body }),
    })
    const answered = await answer.text()
    if (loses === 'answer') return request.socket.destroy()
    const type = answer.headers.get('content-type') ?? 'text/plain'
    if (loses === 'body') return response.writeHead(204).end()
    if (loses === 'half') {
      response.writeHead(answer.status, {
        'content-type': type,
        'content-length': Buffer.byteLength(answered),
      })
      return response.write(answered.slice(0, answered.length / 2), () => request.socket.destroy())
    }
    return response
      .writeHead(answer.status, { 'content-type': type })
      .end(replaces === undefined ? answered : answered.replaceAll(...replaces))
  })
  const { origin, stop } = await listen(server)
  return {
    url: origin,
    fail(next) {
      fault = next
    },
    stop,
  }
}
