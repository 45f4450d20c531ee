import type { MiddlewareHandler } from 'hono'
import { createVerifier, Refusal, type Verified, type VerifyOptions } from '../verify/index.ts'
import { readBody } from './read-body.ts'

/** Variables that the middleware sets: `new Hono<FareboxEnv>()`. */
export type FareboxEnv = {
  Variables: {
    /** Who called. */
    farebox: Verified
  }
}

/**
 * Creates a middleware for Hono 4 on Node, or where `node:crypto` exists. Sets the variable `farebox`; the body can be
 * read as usual. It answers a request that fails verification itself, with the status of the {@link Refusal} and
 * `{"error": {"reason", "message"}}`.
 *
 * @example
 * app.use('/paid/*', verifyFarebox({ gatewayUrl, publicUrl: 'https://api.example', wallet: '0x...' }))
 */
export function verifyFarebox(options: VerifyOptions): MiddlewareHandler<FareboxEnv> {
  const verifyMessage = createVerifier(options)
  return async (context, next) => {
    const { raw } = context.req
    const { pathname, search } = new URL(raw.url)
    try {
      const isEmpty = raw.body === null
      const chunks = raw.body === null ? [] : chunksOf(raw.body)
      const body = await readBody(chunks, options.bodyBytesMax)
      const { method, headers, signal } = raw
      context.set('farebox', await verifyMessage({ method, url: pathname + search, headers, body }))
      // The body is read: routes get a request with the same bytes.
      if (!isEmpty) context.req.raw = new Request(raw.url, { method, headers, body, signal })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return Response.json(error.toBody(), { status: error.status })
    }
    await next()
    return undefined
  }
}

/** Streams are iterable in Node, but not in the types of browsers. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
