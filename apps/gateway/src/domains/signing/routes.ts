import type { App } from '../../app.ts'
import type { KeyRing } from './open-key-ring.ts'

/** Media type of draft-meunier-http-message-signatures-directory, which names the path, too. */
const MEDIA_TYPE = 'application/http-message-signatures-directory+json'
/** How long verifiers may keep the directory, in seconds: far less than a key is published before it signs. */
const MAX_AGE_SECONDS = 300

/** `GET /.well-known/http-message-signatures-directory`: the public keys by which providers know a gateway. */
export function signingRoutes(app: App, ring: Pick<KeyRing, 'published'>): void {
  app.get('/.well-known/http-message-signatures-directory', async (_request, reply) => {
    reply.header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`)
    reply.header('content-type', MEDIA_TYPE)
    // As bytes: a text would be given a charset, which this media type does not have.
    return Buffer.from(JSON.stringify({ keys: ring.published() }))
  })
}
