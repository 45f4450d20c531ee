import type { FastifyCorsOptions } from '@fastify/cors'
import type { FastifyRequest } from 'fastify'

const MAX_AGE_SECONDS = 600
/** Headers by which somebody says who they are. */
const CREDENTIAL_HEADERS = ['authorization', 'x-credential', 'x-agent-credential', 'x-api-key'] as const

const SHARED = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: [
    'X-Request-Id',
    'Idempotent-Replayed',
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
    'Request-Id',
    'X-Should-Retry',
    'Farebox-Attempts',
    'Farebox-Invocation-Id',
    'Farebox-Charged-Usdc',
    'Farebox-Hold-Usdc',
  ].join(', '),
  maxAge: MAX_AGE_SECONDS,
  strictPreflight: false,
} satisfies FastifyCorsOptions

/** Who is no page needs no leave. */
const NO_PAGE: FastifyCorsOptions = { origin: false }

/** For @fastify/cors: lets pages of every origin read what anybody may read, and pages of `origins` do everything. */
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
      if (isPublicRead(request)) done(null, anybody)
      else done(null, isPage ? listed : NO_PAGE)
    },
  } as const
}

/** Whether a request, or the one that a preflight asks about, reads without saying who is asking. */
function isPublicRead({ method, headers }: FastifyRequest): boolean {
  const isPreflight = method === 'OPTIONS'
  const asked = isPreflight ? headers['access-control-request-method'] : method
  if (asked !== 'GET' && asked !== 'HEAD') return false
  if (!isPreflight) return CREDENTIAL_HEADERS.every(name => headers[name] === undefined)
  const names = (headers['access-control-request-headers'] ?? '').toLowerCase().split(/[\s,]+/)
  return CREDENTIAL_HEADERS.every(name => !names.includes(name))
}
