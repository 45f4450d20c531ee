import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { freePort } from '../adapters/free-port.ts'
import { writeWhole } from './write-whole.ts'

/** Largest body that a sample provider takes. */
export const BODY_BYTES_MAX = 1_048_576
/** Longer than a gateway keeps its end of an idle connection, so that it never sends into a closed one. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** A connection on which nothing moves for so long is given up, in ms. */
const SILENCE_MS_MAX = 300_000

/** A running sample provider. */
export type SampleProvider = { readonly url: string; stop(): Promise<void> }

/** Answers one request; when it fails the connection is cut. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Starts a server of development mode on a loopback port.
 *
 * @param portFile where its port is kept, so that it is the same at the next start if it is free; null: any port
 */
export async function startSampleServer(handle: Handle, portFile: string | null): Promise<SampleProvider> {
  const kept = portFile === null ? 0 : await readFile(portFile, 'utf8').catch(() => '0')
  const port = await freePort('127.0.0.1', Number.parseInt(String(kept), 10))
  const server = createServer((request, response) => {
    // A caller may leave while it is written to.
    response.on('error', () => response.destroy())
    handle(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  server.setTimeout(SILENCE_MS_MAX)
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', done)
  })
  if (portFile !== null) await writeWhole(portFile, String(port))
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(server) }
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>(done => server.close(() => done()))
  server.closeAllConnections()
  await closed
}

/** The body as text; null when it is larger than {@link BODY_BYTES_MAX}. */
export async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
