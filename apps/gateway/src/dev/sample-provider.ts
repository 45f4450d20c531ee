import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { freePort } from '../adapters/free-port.ts'

const BODY_BYTES_MAX = 1_048_576
/** Longer than a gateway keeps its end of an idle connection, so that it never sends into a closed one. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
const ECHOED_HEADERS = [
  'content-type',
  'accept',
  'farebox-invocation-id',
  'farebox-service-id',
  'idempotency-key',
  'traceparent',
] as const

/** A running sample provider. */
export type SampleProvider = { readonly url: string; stop(): Promise<void> }

/**
 * Starts the sample provider of development mode: an API that answers every request with what it was sent,
 * `{echo: {method, path, query, body, headers}}`.
 *
 * @param portFile where its port is kept, so that it is the same at the next start if it is free
 */
export async function startSampleProvider(portFile: string): Promise<SampleProvider> {
  const kept = Number.parseInt(await readFile(portFile, 'utf8').catch(() => '0'), 10)
  const port = await freePort('127.0.0.1', kept)
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', done)
  })
  await writeFile(portFile, String(port))
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(server) }
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>(done => server.close(() => done()))
  server.closeAllConnections()
  await closed
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readBody(request)
  if (text === null) {
    response.writeHead(413, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify({ error: `A body may have ${BODY_BYTES_MAX} bytes.` }))
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
  const echo = { method: request.method, path: pathname, query, body: parsed(text), headers }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ echo }))
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The body as JSON, as text when it is none, null when there is none. */
function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
