import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { startOnAnyPort } from '../../adapters/free-port.ts'
import { writeWhole } from '../write-whole.ts'

/** Maximum body of a request to a sample provider. */
export const BODY_BYTES_MAX = 1_048_576
/** Longer than a gateway keeps an idle connection, so that it never sends into a closed one. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Idle timeout of a connection, in ms. */
const SILENCE_MS_MAX = 300_000

/** A running sample provider. */
export type SampleProvider = { readonly url: string; stop(): Promise<void> }

/** Answers one request; if it fails the connection is cut. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Starts a server of development mode on a loopback port.
 *
 * @param portFile stores its port for the next start; null: any port
 */
export async function startSampleServer(handle: Handle, portFile: string | null): Promise<SampleProvider> {
  const kept = portFile === null ? 0 : await readFile(portFile, 'utf8').catch(() => '0')
  const server = createServer((request, response) => {
    // A caller may disconnect during a write.
    response.on('error', () => response.destroy())
    handle(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  server.setTimeout(SILENCE_MS_MAX)
  const port = await startOnAnyPort(Number.parseInt(String(kept), 10) || 0, tried => listen(server, tried))
  if (portFile !== null) await writeWhole(portFile, String(port))
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(server) }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => done(port))
  })
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>(done => server.close(() => done()))
  server.closeAllConnections()
  await closed
}

/** Returns the body as text; null if it exceeds {@link BODY_BYTES_MAX}. */
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
