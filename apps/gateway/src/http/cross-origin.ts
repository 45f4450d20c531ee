import type { FastifyCorsOptions } from '@fastify/cors'
import type { FastifyRequest } from 'fastify'

const MAX_AGE_SECONDS = 600
/** Headers that authenticate a caller. */
const CREDENTIAL_HEADERS = ['authorization', 'x-credential', 'x-agent-credential', 'x-api-key'] as const

const SHARED = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  // Every header, as no answer allows credentials (Fetch Standard, “CORS protocol and credentials”).
  exposedHeaders: '*',
  maxAge: MAX_AGE_SECONDS,
  strictPreflight: false,
} satisfies FastifyCorsOptions

/** A caller that is not a page needs no permission. */
const NO_PAGE: FastifyCorsOptions = { origin: false }

/** Options of @fastify/cors: pages of every origin may read public data and pay by x402, pages of `origins` may do everything. */
export function crossOriginPolicy(origins: readonly string[]) {
  const anybody: FastifyCorsOptions = { ...SHARED, origin: '*' }
  const listed: FastifyCorsOptions = { ...SHARED, origin: [...origins] }
  return {
    hook: 'onRequest',
    delegator: (
      request: FastifyRequest,
      done: (error: Error | null, options: FastifyCorsOptions) => void,
    ) => {
      const isPage = request.headers.origin !== undefined || request.method === 'OPTIONS'
      if (isPaidResource(request) || isPublicRead(request)) done(null, anybody)
      else done(null, isPage ? listed : NO_PAGE)
    },
  } as const
}

/** Returns true below `/x402`: whatever a page sends there it has signed for that request. */
const isPaidResource = ({ url }: FastifyRequest): boolean => url.startsWith('/x402/')

/** What development mode shows to everybody on the machine: mails with codes, and metrics. */
const OF_DEVELOPMENT = /^\/(?:dev\/|metrics$)/

/** Returns true if a request, or the one that a preflight announces, is an unauthenticated read. */
function isPublicRead({ method, headers, routeOptions }: FastifyRequest): boolean {
  if (OF_DEVELOPMENT.test(routeOptions.url ?? '')) return false
  const isPreflight = method === 'OPTIONS'
  const asked = isPreflight ? headers['access-control-request-method'] : method
  if (asked !== 'GET' && asked !== 'HEAD') return false
  if (!isPreflight) return CREDENTIAL_HEADERS.every(name => headers[name] === undefined)
  const names = (headers['access-control-request-headers'] ?? '').toLowerCase().split(/[\s,]+/)
  return CREDENTIAL_HEADERS.every(name => !names.includes(name))
}
