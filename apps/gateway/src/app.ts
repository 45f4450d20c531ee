import type { Socket } from 'node:net'
import { parse as parseQuery } from 'node:querystring'
import { isDeeperThan, JSON_DEPTH_MAX } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import cors from '@fastify/cors'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Config } from './config.ts'
import { crossOriginPolicy } from './http/cross-origin.ts'
import { errorHandler } from './http/errors.ts'
import { allowLargerBodies, publicBodyLimit } from './http/limits/body-limit.ts'
import { observeRequests } from './http/observe.ts'
import { collectOperations } from './http/openapi/operations.ts'
import { securityHeaders } from './http/security-headers.ts'
import { createDeparture, type Departure } from './http/shutdown.ts'
import { answerUnknownPaths } from './http/unknown-paths.ts'
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
 * @param departure whether the gateway is about to stop
 */
export async function buildApp(
  deps: Deps,
  routes: (app: App) => Promise<void>,
  onAnswer?: OnAnswer,
  departure: Departure = createDeparture(),
): Promise<App> {
  const { config, ids, log } = deps
  const headers = securityHeaders(config.FAREBOX_MODE === 'production')
  const handleError = errorHandler(log)
  const app: App = fastify({
    bodyLimit: publicBodyLimit(config.REQUEST_BYTES_MAX),
    requestTimeout: config.REQUEST_TIMEOUT_SECONDS * 1_000,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: config.HEADERS_TIMEOUT_SECONDS * 1_000,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS_MAX, config.HEADERS_TIMEOUT_SECONDS * 500),
      requireHostHeader: false, // Node's own answer to it would be in no shape of ours; see refuseUnclearHost
    },
    trustProxy: trusted(config.TRUST_PROXY),
    routerOptions: {
      maxParamLength: PARAM_LENGTH_MAX,
      ignoreTrailingSlash: true,
      querystringParser: parseWithoutEmpty,
    },
    logger: false,
    return503OnClosing: false, // it would not be in the wire's shape; see refuseWhenClosing
    forceCloseConnections: 'idle',
    clientErrorHandler: answerUnreadable(ids, headers),
    // Paths that the router cannot read come here past every hook.
    frameworkErrors: (error, request, reply) => {
      setHeaders(reply, request.id, headers)
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
  allowLargerBodies(app, config.REQUEST_BYTES_MAX)
  acceptJsonOnly(app)
  answerUnknownPaths(app, config.PUBLIC_URL)

  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply, request.id, headers)
    const { raw } = reply
    raw.setTimeout(config.REQUEST_TIMEOUT_SECONDS * 1_000, () => letGoOfTheDeaf(raw.socket))
    done()
  })
  observeRequests(app, deps)
  refuseUnclearHost(app)
  await app.register(cors, crossOriginPolicy(config.CORS_ORIGINS))
  refuseWhenClosing(app, departure)
  if (onAnswer !== undefined) {
    app.addHook('onSend', async (request, reply, payload) => {
      onAnswer(request, reply, reply.hasHeader('content-encoding') ? null : textOf(payload))
    })
  }
  await routes(app)
  await app.ready()
  return app
}

/**
 * Returns the setting as Fastify takes it. `X-Forwarded-For` is read from its right end, where the nearest proxy has
 * written; the first address that is not trusted is the client's.
 */
function trusted(setting: Config['TRUST_PROXY']): string[] | ((address: string, hop: number) => boolean) {
  // A plain number would trust nobody at all in Fastify.
  return typeof setting === 'number' ? (_, hop) => hop < setting : [...setting]
}

/** Parses a query string; a parameter without a value counts as absent. */
function parseWithoutEmpty(text: string): Record<string, unknown> {
  if (text === '') return {}
  return Object.fromEntries(Object.entries(parseQuery(text)).filter(([, value]) => value !== ''))
}

function textOf(payload: unknown): string | null {
  if (Buffer.isBuffer(payload)) return payload.toString()
  return typeof payload === 'string' ? payload : null
}

/** Of a client that has neither said nor taken anything for a while: one that waits for us may go on doing so. */
function letGoOfTheDeaf(socket: Socket | null): void {
  if (socket !== null && socket.writableLength > 0) socket.destroy()
}

/** The headers of every answer. */
function setHeaders(
  reply: FastifyReply,
  requestId: string,
  headers: ReturnType<typeof securityHeaders>,
): void {
  reply.header('x-request-id', requestId)
  for (const [name, value] of headers) reply.header(name, value)
}

/**
 * From the moment the gateway is about to stop: ends each connection with the answer it is waiting for. A connection
 * left open would be cut under a request that is on its way, or hold the stop up until its client goes. From the moment
 * the server closes: refuses requests that still come over open connections.
 */
function refuseWhenClosing(app: App, departure: Departure): void {
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
    if (isClosing || departure.hasBegun()) reply.header('connection', 'close')
    done()
  })
}

/**
 * Refuses requests without a Host header and with more than one (RFC 9112, 3.2). And an expectation that nobody knows is
 * none (RFC 9110, 10.1.1 leaves that to us).
 */
function refuseUnclearHost(app: App): void {
  const refusal = (message: string) => new GatewayError('INVALID_REQUEST', {}, { message })
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    // Node drops every one but the first from `headers`.
    const hosts = countHosts(raw.rawHeaders)
    if (hosts > 1) done(refusal('There is more than one Host header.'))
    else if (hosts === 1 || raw.httpVersion === '1.0') done()
    else done(refusal('The Host header is missing.'))
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}

/** @param rawHeaders name, value, name, value */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    // By length first: few names are worth a look in lower case.
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/** JSON is the only body. An empty one is none, whatever its type says: many endpoints take no body. */
function acceptJsonOnly(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  // Nothing is ever unpacked, so there is nothing to burst. What has no body has none to unpack, whatever it says.
  app.addHook('preParsing', ({ headers, method }, _reply, _payload, done) => {
    const encoding = headers['content-encoding'] ?? 'identity'
    const isPlain = method === 'GET' || method === 'HEAD' || encoding.toLowerCase() === 'identity'
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
