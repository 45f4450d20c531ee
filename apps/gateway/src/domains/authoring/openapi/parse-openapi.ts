import { GatewayError } from '@farebox/wire/errors'
import { createWorkers, WorkerLimitError } from '../../../runtime/workers.ts'
import type { OpenApiInput, OpenApiReading } from './read-openapi.ts'

/** Documents read at once by this process, and those that wait. */
const AT_ONCE_MAX = 2
const WAITING_MAX = 16
/** Maximum time to read a document, in ms. */
const TIME_MS_MAX = 10_000
/** Maximum heap of the thread that reads a document, in MiB. */
const HEAP_MIB_MAX = 256
const RETRY_AFTER_SECONDS = 5

export type { OpenApiReading } from './read-openapi.ts'

type Output = { readonly reading: OpenApiReading } | { readonly fault: { path: string; message: string } }

/** Reads OpenAPI documents; see {@link createOpenApiReader}. */
export type OpenApiReader = (input: OpenApiInput) => Promise<OpenApiReading>

/**
 * Returns a function that lists the operations of an OpenAPI document and drafts manifests from the chosen ones, in a
 * thread of its own: a document takes time and memory that other requests must not lack. Nothing is fetched or stored.
 *
 * @throws GatewayError from that function: INVALID_PAYLOAD, UNAVAILABLE while too many documents are read
 */
export function createOpenApiReader(): OpenApiReader {
  const workers = createWorkers<OpenApiInput, Output>({
    file: new URL('./openapi-worker.ts', import.meta.url),
    atOnce: AT_ONCE_MAX,
    waiting: WAITING_MAX,
    timeMs: TIME_MS_MAX,
    heapMib: HEAP_MIB_MAX,
  })
  return async input => {
    const output = await workers.run(input).catch((error: unknown) => {
      if (!(error instanceof WorkerLimitError)) throw error
      return { fault: { path: 'document', message: 'Takes too much time or memory to parse.' } }
    })
    if (output === null) {
      const message = 'Too many documents are being read.'
      throw new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    if ('reading' in output) return output.reading
    const { path, message } = output.fault
    throw new GatewayError('INVALID_PAYLOAD', { issues: [output.fault] }, { message: `${path}: ${message}` })
  }
}
