import type { IncomingMessage, ServerResponse } from 'node:http'
import { BODY_BYTES_MAX, readBody, type SampleProvider, startSampleServer } from './sample-server.ts'

const ECHOED_HEADERS = [
  'content-type',
  'accept',
  'farebox-invocation-id',
  'farebox-service-id',
  'idempotency-key',
  'traceparent',
] as const

/**
 * Starts the sample provider of development mode: `POST /hello {name}` greets the name, everything else is echoed as
 * `{echo: {method, path, query, body, headers}}`.
 *
 * @param portFile stores its port for the next start
 */
export function startSampleProvider(portFile: string): Promise<SampleProvider> {
  return startSampleServer(answer, portFile)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readBody(request)
  if (text === null) {
    response.writeHead(413, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify({ error: `A body must have at most ${BODY_BYTES_MAX} bytes.` }))
    return
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sample')
  const headers = Object.fromEntries(
    ECHOED_HEADERS.flatMap(name => {
      const value = request.headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const query = Object.fromEntries(searchParams)
  const body = parsed(text)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(
      pathname === '/hello' && request.method === 'POST'
        ? { greeting: `Hello, ${nameIn(body)}!` }
        : { echo: { method: request.method, path: pathname, query, body, headers } },
    ),
  )
}

function nameIn(body: unknown): string {
  const isNamed = typeof body === 'object' && body !== null && 'name' in body
  return isNamed && typeof body.name === 'string' ? body.name : 'stranger'
}

/** Returns the body as JSON, as text if it is not JSON, null if empty. */
function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
