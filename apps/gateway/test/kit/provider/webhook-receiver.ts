import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { webhookData } from '@farebox/wire/webhook-events'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { listen } from '../network/loopback.ts'

/** A received delivery. `payload` is parsed from `body`. */
export type Received = {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly payload: {
    readonly type: string
    readonly timestamp: string
    readonly data: Record<string, unknown>
  }
}

/** A webhook receiver on a real socket, which answers 204 by default. */
export type Receiver = {
  readonly url: string
  readonly received: Received[]
  /** Sets the answer: a status or a handler, which may leave the sender waiting. */
  answer(how: number | ((response: ServerResponse, request: IncomingMessage) => unknown)): void
  stop(): Promise<void>
}

/** Starts a receiver on a free loopback port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let respond: (response: ServerResponse, request: IncomingMessage) => unknown = response =>
    response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.push({ headers: request.headers, body, payload: JSON.parse(body) })
    await respond(response, request)
  })
  const { origin, stop } = await listen(server)
  return {
    url: `${origin}/hook`,
    received,
    answer(how) {
      respond = typeof how === 'function' ? how : response => response.writeHead(how, { location: '/' }).end()
    },
    stop,
  }
}

/** Expects that a delivery verifies with the public library and this secret, and matches its schema. */
export function expectGenuine(delivery: Received, secret: string): void {
  const { payload, headers, body } = delivery
  const reported = new Webhook(secret).verify(body, headers as Record<string, string>)
  expect(reported).toEqual(payload)
  expect(Object.keys(payload)).toEqual(['type', 'timestamp', 'data'])
  const schema = Object.entries(webhookData).find(([type]) => type === payload.type)?.[1]
  if (schema !== undefined) expect(schema.strict().parse(payload.data)).toEqual(payload.data)
}
