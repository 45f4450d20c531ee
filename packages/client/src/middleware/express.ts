import type { IncomingMessage, ServerResponse } from 'node:http'
import { createVerifier, Refusal, type Verified, type VerifyOptions } from '../verify/index.ts'
import { readBody } from './read-body.ts'

/** A request behind the middleware. */
export type FareboxRequest = IncomingMessage & {
  /** Set by Express when a router was mounted below a path. */
  originalUrl?: string
  /** The bytes of the body, if a parser before the middleware kept them; set by the middleware otherwise. */
  rawBody?: Buffer
  /** The parsed body; set by the middleware if it is JSON and not set yet. */
  body?: unknown
  /** Who called; set by the middleware. */
  farebox?: Verified
}

declare global {
  namespace Express {
    interface Request {
      /** Who called; set by the middleware. */
      farebox?: Verified
      /** The bytes of the body. */
      rawBody?: Buffer
    }
  }
}

/**
 * Creates a middleware for Express, Connect, or a bare `node:http` server. It reads the body, so it stands before other
 * parsers, and sets `request.farebox`, `request.rawBody` and, for JSON, `request.body`. It answers a request that fails
 * verification itself, with the status of the {@link Refusal} and `{"error": {"reason", "message"}}`.
 *
 * @example
 * app.use('/paid', verifyFarebox({ gatewayUrl, publicUrl: 'https://api.example', wallet: '0x...' }))
 */
export function verifyFarebox(
  options: VerifyOptions,
): (request: FareboxRequest, response: ServerResponse, next: (error?: unknown) => void) => void {
  const verifyMessage = createVerifier(options)

  return (request, response, next) => {
    const check = async () => {
      // An iterator that ends early would otherwise close the connection before the refusal is sent.
      request.rawBody ??= await readBody(request.iterator({ destroyOnReturn: false }), options.bodyBytesMax)
      const { method = '', headers, rawBody } = request
      const url = request.originalUrl ?? request.url ?? ''
      request.farebox = await verifyMessage({ method, url, headers, body: rawBody })
      if (request.body === undefined && headers['content-type']?.startsWith('application/json') === true) {
        request.body = JSON.parse(rawBody.toString('utf8'))
      }
    }
    check().then(
      () => next(),
      (error: unknown) => {
        if (!(error instanceof Refusal)) return next(error)
        // The rest of a refused body is not read.
        response.writeHead(error.status, { 'content-type': 'application/json', connection: 'close' })
        response.end(JSON.stringify(error.toBody()))
      },
    )
  }
}
