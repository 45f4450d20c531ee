import { createServer, request as httpRequest } from 'node:http'
import { listen } from './loopback.ts'

/** Stands before a gateway and adds a bearer token to each request, for clients that cannot send one. */
export type TokenForwarder = {
  readonly origin: string
  /** Sets where requests go, and the token. */
  forwardTo(target: string, token: string): void
  /** Called with each piece of each answer. */
  onAnswered(watch: (piece: string) => void): void
  stop(): Promise<void>
}

/** Starts a forwarder on a free loopback port. */
export async function startTokenForwarder(): Promise<TokenForwarder> {
  let to = { target: '', token: '' }
  let watch: (piece: string) => void = () => undefined
  const { origin, stop } = await listen(
    createServer((request, response) => {
      const { method = 'GET', url = '/', headers } = request
      const onward = httpRequest(
        to.target + url,
        { method, headers: { ...headers, authorization: `Bearer ${to.token}` } },
        answer => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.on('data', (piece: Buffer) => watch(piece.toString()))
          answer.pipe(response)
        },
      )
      onward.on('error', () => response.destroy())
      request.pipe(onward)
    }),
  )
  return {
    origin,
    forwardTo(target, token) {
      to = { target, token }
    },
    onAnswered(next) {
      watch = next
    },
    stop,
  }
}
