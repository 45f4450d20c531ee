import { GatewayError } from '@farebox/wire/errors'
import cors from '@fastify/cors'
import fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { errorHandler, sendError } from './http/errors.ts'
import type { Deps } from './ports.ts'

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_TIMEOUT_MS = 72_000
const PARAM_LENGTH_MAX = 200

/** Fastify with the schemas of `packages/wire` as its types. */
export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  import('fastify').FastifyBaseLogger,
  ZodTypeProvider
>

/**
 * Builds the HTTP server: limits, headers, errors, and each domain's routes. Does not listen.
 *
 * @param deps what the domains need
 * @param routes registers the domains below `/api/v1`, and what stands outside of it
 */
export async function buildApp(deps: Deps, routes: (app: App) => Promise<void>): Promise<App> {
  const { config, ids, log } = deps
  const app: App = fastify({
    bodyLimit: config.REQUEST_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    trustProxy: config.TRUST_PROXY,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, ignoreTrailingSlash: true },
    logger: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    genReqId: request => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next('req')
    },
  }).withTypeProvider<ZodTypeProvider>()

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(errorHandler(log))
  acceptJsonOnly(app)
  answerUnknownPaths(app)

  const isProduction = config.FAREBOX_MODE === 'production'
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('referrer-policy', 'no-referrer')
    reply.header('cache-control', 'no-store')
    if (isProduction) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
  })
  await app.register(cors, {
    hook: 'onRequest',
    delegator: (request, done) => {
      const isPublic = request.method === 'GET' && request.headers.authorization === undefined
      done(null, {
        origin: isPublic ? '*' : [...config.CORS_ORIGINS],
        exposedHeaders: [
          'X-Request-Id',
          'Idempotent-Replayed',
          'Retry-After',
          'RateLimit',
          'RateLimit-Policy',
        ],
        maxAge: 600,
      })
    },
  })
  await routes(app)
  await app.ready()
  return app
}

/** JSON is the only body. An empty one is none, whatever its type says: many endpoints take no body. */
function acceptJsonOnly(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parseJson(request, body, done)
  })
}

/** 404 for a path nobody serves, 405 with `Allow` for a path that is served by other methods. */
function answerUnknownPaths(app: App): void {
  const served = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const source = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[A-Za-z]+/g, '[^/]+')
    const entry = served.get(url) ?? { pattern: new RegExp(`^${source}/?$`), methods: new Set() }
    for (const name of [method].flat()) entry.methods.add(name)
    served.set(url, entry)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = new Set(
      [...served.values()].filter(entry => entry.pattern.test(path)).flatMap(entry => [...entry.methods]),
    )
    if (allowed.size === 0) return sendError(reply, new GatewayError('NOT_FOUND'), request.id)
    reply.header('allow', [...allowed].sort().join(', '))
    return sendError(reply, new GatewayError('METHOD_NOT_ALLOWED'), request.id)
  })
}
