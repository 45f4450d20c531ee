import type { FastifyInstance } from 'fastify'

/** Largest body of a request that needs no token, in bytes: reading one is work for nobody who could be held to it. */
const PUBLIC_BODY_BYTES_MAX = 65_536

/** Returns the limit of operations that need no token, and of paths that nobody serves. */
export function publicBodyLimit(bytesMax: number): number {
  return Math.min(bytesMax, PUBLIC_BODY_BYTES_MAX)
}

/** Lets operations that need a token, as their contracts say, take bodies of `bytesMax`: before the first route. */
export function allowLargerBodies(app: Pick<FastifyInstance, 'addHook'>, bytesMax: number): void {
  app.addHook('onRoute', options => {
    const access = options.config?.contract?.access
    const isPublic = access === undefined || access === 'public' || access === 'anyone'
    if (!isPublic) options.bodyLimit = bytesMax
  })
}
