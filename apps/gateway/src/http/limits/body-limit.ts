import type { FastifyInstance } from 'fastify'

/** Maximum body of a request that needs no token, in bytes: nobody could be held accountable for larger ones. */
const PUBLIC_BODY_BYTES_MAX = 65_536

/** Returns the limit of operations that need no token, and of unknown paths. */
export function publicBodyLimit(bytesMax: number): number {
  return Math.min(bytesMax, PUBLIC_BODY_BYTES_MAX)
}

/** Raises the limit to `bytesMax` for operations whose contracts require a token. Call it before the first route. */
export function allowLargerBodies(app: Pick<FastifyInstance, 'addHook'>, bytesMax: number): void {
  app.addHook('onRoute', options => {
    const access = options.config?.contract?.access
    const isPublic = access === undefined || access === 'public' || access === 'anyone'
    if (!isPublic) options.bodyLimit = bytesMax
  })
}
