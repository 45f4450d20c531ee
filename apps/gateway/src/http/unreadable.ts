import type { Socket } from 'node:net'
import { GatewayError } from '@farebox/wire/errors'
import type { ConnectionError } from 'fastify'
import type { Ids } from '../ports.ts'

const FAULTS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_INVALID_URL: 'The URL has characters that must be percent-encoded.',
  HPE_INVALID_CONSTANT:
    'The first line is not that of an HTTP request. A blank in a URL must be percent-encoded.',
  HPE_INVALID_HEADER_TOKEN: 'A header has characters that are not allowed.',
  HPE_HEADER_OVERFLOW: 'The header section is too large.',
}
const FAULT_OTHERWISE = 'This is not an HTTP request.'

/**
 * Answers what is not an HTTP request, or does not become one in time, in the wire's error format, and closes the
 * connection: the server never makes a request of it, so no other code sees it.
 *
 * @param headers of every answer
 */
export function answerUnreadable(ids: Pick<Ids, 'next'>, headers: readonly (readonly [string, string])[]) {
  return (fault: ConnectionError, socket: Socket): void => {
    if (socket.writable && fault.code !== 'ECONNRESET') {
      const requestId = ids.next('req')
      const error = new GatewayError(
        'INVALID_REQUEST',
        {},
        { message: FAULTS[fault.code] ?? FAULT_OTHERWISE },
      )
      const body = JSON.stringify(error.toBody(requestId))
      const head = [
        `HTTP/1.1 ${error.status} Bad Request`,
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        `x-request-id: ${requestId}`,
        ...headers.map(([name, value]) => `${name}: ${value}`),
        'connection: close',
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    }
    socket.destroySoon()
  }
}
