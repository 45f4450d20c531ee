import { isDeeperThan, JSON_DEPTH_MAX } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import cors from '@fastify/cors'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { crossOriginPolicy } from './http/cross-origin.ts'
import { errorHandler, sendError } from './http/errors.ts'
import { observeRequests } from './http/observe.ts'
import { collectOperations } from './http/operations.ts'
import { answerUnreadable } from './http/unreadable.ts'
import type { Deps } from './ports.ts'

/** Sees every answer as it leaves: `payload` is its body, or null where that is streamed or compressed. */
export type OnAnswer = (request: FastifyRequest, reply: FastifyReply, payload: string | null) => void

const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/
/** How often connections are looked through for clients that take too long, in ms. */
const CHECK_INTERVAL_MS_MAX = 1_000
const KEEP_ALIVE_TIMEOUT_MS = 72_000
const PARAM_LENGTH_MAX = 200
/** After how long a client that met a gateway on its way out may come back, in seconds: to another, or the next. */
const RETRY_AFTER_STOP_SECONDS = 2

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
 * @param onAnswer sees every answer; an error of its own takes the place of the answer
 */
export async function buildApp(
  deps: Deps,
  routes: (app: App) => Promise<void>,
  onAnswer?: OnAnswer,
): Promise<App> {
  const { config, ids, log } = deps
  const isProduction = config.FAREBOX_MODE === 'production'
  const handleError = errorHandler(log)
  const app: App = fastify({
    bodyLimit: config.REQUEST_BYTES_MAX,
    requestTimeout: config.REQUEST_TIMEOUT_SECONDS * 1_000,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: config.HEADERS_TIMEOUT_SECONDS * 1_000,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS_MAX, config.HEADERS_TIMEOUT_SECONDS * 500),
    },
    trustProxy: config.TRUST_PROXY,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, ignoreTrailingSlash: true },
    logger: false,
    return503OnClosing: false, // it would not be in the wire's shape; see refuseWhenClosing
    forceCloseConnections: 'idle',
    clientErrorHandler: answerUnreadable(ids),
    // Paths that the router cannot read come here past every hook.
    frameworkErrors: (error, request, reply) => {
      setHeaders(reply, { requestId: request.id, isProduction })
      handleError(error, request, reply)
    },
    genReqId: request => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next('req')
    },
  }).withTypeProvider<ZodTypeProvider>()

  app.server.maxConnections = config.CONNECTIONS_MAX
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  collectOperations(app)
  acceptJsonOnly(app)
  answerUnknownPaths(app)

  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply, { requestId: request.id, isProduction })
    done()
  })
  observeRequests(app, deps)
  await app.register(cors, crossOriginPolicy(config.CORS_ORIGINS))
  refuseWhenClosing(app)
  if (onAnswer !== undefined) {
    app.addHook('onSend', async (request, reply, payload) => {
      onAnswer(request, reply, reply.hasHeader('content-encoding') ? null : textOf(payload))
    })
  }
  await routes(app)
  await app.ready()
  return app
}

function textOf(payload: unknown): string | null {
  if (Buffer.isBuffer(payload)) return payload.toString()
  return typeof payload === 'string' ? payload : null
}

/** The headers of every answer. */
function setHeaders(reply: FastifyReply, input: { requestId: string; isProduction: boolean }): void {
  reply.header('x-request-id', input.requestId)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('referrer-policy', 'no-referrer')
  reply.header('cache-control', 'no-store')
  if (input.isProduction) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
}

/**
 * From the moment the server closes: refuses requests that still come over open connections, and ends each
 * connection with the answer it is waiting for. A connection left open would hold the stop up until its client
 * goes, or the drain runs out.
 */
function refuseWhenClosing(app: App): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', (_request, _reply, done) => {
    if (!isClosing) return done()
    const message = 'The gateway is stopping.'
    done(new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_STOP_SECONDS }))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done()
  })
}

/** JSON is the only body. An empty one is none, whatever its type says: many endpoints take no body. */
function acceptJsonOnly(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  // Nothing is ever unpacked, so there is nothing to burst.
  app.addHook('preParsing', ({ headers }, _reply, _payload, done) => {
    const encoding = headers['content-encoding'] ?? 'identity'
    const isPlain = encoding.toLowerCase() === 'identity'
    done(isPlain ? null : new GatewayError('UNSUPPORTED_MEDIA_TYPE', { encoding }))
  })
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else
      parseJson(request, body, (error, value) => {
        // A text cannot be nested deeper than by half of its length.
        const isTooDeep =
          error === null && body.length > 2 * JSON_DEPTH_MAX && isDeeperThan(value, JSON_DEPTH_MAX)
        done(isTooDeep ? tooDeep() : error, value)
      })
  })
}

function tooDeep(): GatewayError {
  const message = `JSON may be nested ${JSON_DEPTH_MAX} deep.`
  return new GatewayError('INVALID_REQUEST', {}, { message })
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
