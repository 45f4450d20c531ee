import compress from '@fastify/compress'
import type { App } from '../app.ts'

/** Smaller answers are sent as they are: they fit into a packet or two. */
const COMPRESS_FROM_BYTES = 2_048

/**
 * Compresses the answers to GET requests for clients that accept it (RFC 9110, 12.5.3). Calls of services spend no
 * processor time on it, and no secret is ever in the answer to a GET, where its length could betray it (BREACH). Call it
 * before the first route.
 */
export async function compressReads(app: App): Promise<void> {
  app.addHook('onRoute', route => {
    if (route.method !== 'GET') route.compress = false
  })
  await app.register(compress, {
    globalDecompression: false, // a request body could grow beyond every limit
    encodings: ['br', 'gzip'],
    threshold: COMPRESS_FROM_BYTES,
  })
}
