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
import { withExactIntegers } from './http/exact-integers.ts'
import { allowLargerBodies, publicBodyLimit } from './http/limits/body-limit.ts'
import { observeRequests } from './http/observe.ts'
import { collectOperations } from './http/openapi/operations.ts'
import { readableUrl } from './http/readable-url.ts'
import { securityHeaders } from './http/security-headers.ts'
import { createShutdown, type Shutdown } from './http/shutdown.ts'
import { answerUnknownPaths } from './http/unknown-paths.ts'
import { answerUnreadable } from './http/unreadable.ts'
import type { Deps } from './ports.ts'

/** Called with every answer as it leaves: `payload` is its body, or null if that is streamed or compressed. */
export type OnAnswer = (request: FastifyRequest, reply: FastifyReply, payload: string | null) => void

const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/
/** Interval of checks for clients that take too long, in ms. */
const CHECK_INTERVAL_MS_MAX = 1_000
const KEEP_ALIVE_TIMEOUT_MS = 72_000
const PARAM_LENGTH_MAX = 200
/** `Retry-After` of a stopping gateway, in seconds. */
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
 * @param deps dependencies of the domains
 * @param routes registers the domains below `/api/v1`, and other paths
 * @param onAnswer called with every answer; an error that it throws replaces the answer
 * @param shutdown whether the gateway is about to stop
 */
export async function buildApp(
  deps: Deps,
  routes: (app: App) => Promise<void>,
  onAnswer?: OnAnswer,
  shutdown: Shutdown = createShutdown(),
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
      requireHostHeader: false, // Node's own answer to it would be in no shape of ours; see refuseUnclearHeads
    },
    trustProxy: trusted(config.TRUST_PROXY),
    rewriteUrl: readableUrl,
    routerOptions: {
      maxParamLength: PARAM_LENGTH_MAX,
      ignoreTrailingSlash: true,
      querystringParser: parseWithoutEmpty,
    },
    logger: false,
    return503OnClosing: false, // it would not be in the wire's shape; see refuseWhenClosing
    forceCloseConnections: 'idle',
    clientErrorHandler: answerUnreadable(ids, headers),
    // Paths that the router cannot parse reach this without any hook.
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
  refuseUnclearHeads(app)
  await app.register(cors, crossOriginPolicy(config.CORS_ORIGINS))
  refuseWhenClosing(app, shutdown)
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
 * Returns the setting for Fastify. `X-Forwarded-For` is read from its right end, where the nearest proxy has written;
 * the first untrusted address is the client's.
 */
function trusted(setting: Config['TRUST_PROXY']): string[] | ((address: string, hop: number) => boolean) {
  // A plain number would trust nobody in Fastify.
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

/** For a client that has neither sent nor read for a while; one that waits for us may continue. */
function letGoOfTheDeaf(socket: Socket | null): void {
  if (socket !== null && socket.writableLength > 0) socket.destroy()
}

/** Headers of every answer. */
function setHeaders(
  reply: FastifyReply,
  requestId: string,
  headers: ReturnType<typeof securityHeaders>,
): void {
  reply.header('x-request-id', requestId)
  for (const [name, value] of headers) reply.header(name, value)
}

/**
 * While the gateway is about to stop: closes each connection after its current answer. An open connection would be cut
 * under the next request, or delay the stop until its client goes. While the server closes: refuses requests that still
 * arrive over open connections.
 */
function refuseWhenClosing(app: App, shutdown: Shutdown): void {
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
    if (isClosing || shutdown.hasBegun()) reply.header('connection', 'close')
    done()
  })
}

/**
 * Refuses requests without a Host header and with more than one (RFC 9112, 3.2), and with a transfer coding that Node
 * does not decode (6.1), and ignores unknown expectations (RFC 9110, 10.1.1 leaves that to us).
 */
function refuseUnclearHeads(app: App): void {
  const refusal = (message: string) => new GatewayError('INVALID_REQUEST', {}, { message })
  /** Connections with such a coding: what follows it may be part of that body. */
  const refused = new WeakSet<Socket>()
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const { 'transfer-encoding': coding = 'chunked' } = raw.headers
    if (coding.toLowerCase() !== 'chunked' || refused.has(raw.socket)) {
      refused.add(raw.socket)
      reply.header('connection', 'close')
      return done(refusal('Transfer-Encoding must be chunked alone.'))
    }
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
    // By length first: few names need lower-casing.
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

const COMPRESSED = 'The request body must not be compressed: send it without Content-Encoding.'

/** Only JSON bodies are accepted. An empty body counts as none, whatever its type: many endpoints take none. */
function acceptJsonOnly(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  // Nothing is decompressed, so decompression bombs have no effect. An empty body needs no decoding.
  app.addHook('preParsing', ({ headers, method }, _reply, _payload, done) => {
    const encoding = headers['content-encoding'] ?? 'identity'
    const isPlain = method === 'GET' || method === 'HEAD' || encoding.toLowerCase() === 'identity'
    done(isPlain ? null : new GatewayError('UNSUPPORTED_MEDIA_TYPE', { encoding }, { message: COMPRESSED }))
  })
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else
      parseJson(request, body, (error, value) => {
        // The nesting depth is at most half of the length.
        const isTooDeep =
          error === null && body.length > 2 * JSON_DEPTH_MAX && isDeeperThan(value, JSON_DEPTH_MAX)
        if (error !== null || isTooDeep) done(isTooDeep ? tooDeep() : (notJson(body) ?? error))
        else done(null, isCarried(request) ? withExactIntegers(body, value) : value)
      })
  })
}

/** Returns true if the body of a request goes on to a provider. */
const isCarried = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.contract?.hasExactIntegers === true

/** Returns the error for a body that is not JSON, with the place; null if it is. */
function notJson(body: string): GatewayError | null {
  try {
    JSON.parse(body)
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return new GatewayError('INVALID_REQUEST', {}, { message: `The body is not JSON: ${reason}.` })
  }
}

function tooDeep(): GatewayError {
  const message = `JSON must be nested at most ${JSON_DEPTH_MAX} deep.`
  return new GatewayError('INVALID_REQUEST', {}, { message })
}
