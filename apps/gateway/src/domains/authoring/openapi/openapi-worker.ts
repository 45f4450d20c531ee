import { parentPort, workerData } from 'node:worker_threads'
import { holdsSecret } from '../../redaction/redact.ts'
import { OpenApiError } from './document-rules.ts'
import { type OpenApiInput, readOpenApi } from './read-openapi.ts'

// Reads one document, in a thread of its own: parse-openapi.ts.

try {
  parentPort?.postMessage({ reading: readOpenApi(workerData as OpenApiInput, holdsSecret) })
} catch (error) {
  if (!(error instanceof OpenApiError)) throw error
  parentPort?.postMessage({ fault: { path: error.path, message: error.message } })
}
