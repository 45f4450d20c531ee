import { GatewayError } from '@farebox/wire/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './errors.ts'
import { type NearMiss, nearMissOf } from './near-miss.ts'

/** Answers an unknown path; null leaves it to the error. */
type OnUnknown = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply> | null

const byApp = new WeakMap<object, OnUnknown>()
const byServer = new WeakMap<object, (request: FastifyRequest) => GatewayError>()

/** Returns the NOT_FOUND of an unknown path, for handlers of their own, with the path that was probably meant. */
export function notFoundAt(request: FastifyRequest): GatewayError {
  return byServer.get(request.server.server)?.(request) ?? new GatewayError('NOT_FOUND')
}

/** Replaces the error of unknown paths, except below a prefix with its own handler. */
export function onUnknownPath(app: object, answer: OnUnknown): void {
  byApp.set(app, answer)
}

/**
 * Answers 404 for an unknown path, with the right base URL if that is the mistake; 405 with `Allow` for a path with
 * other methods.
 *
 * @param publicUrl of this gateway; undefined: as the request names it
 */
export function answerUnknownPaths(
  app: Pick<FastifyInstance, 'addHook' | 'setNotFoundHandler' | 'server'>,
  publicUrl?: string,
): void {
  const served = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const source = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[A-Za-z]+/g, '[^/]+')
    const entry = served.get(url) ?? { pattern: new RegExp(`^${source}/?$`), methods: new Set() }
    for (const name of [method].flat()) entry.methods.add(name)
    served.set(url, entry)
  })
  const isServed = (path: string) => [...served.values()].some(({ pattern }) => pattern.test(path))
  byServer.set(app.server, request => {
    const origin = (publicUrl ?? `${request.protocol}://${request.host}`).replace(/\/$/, '')
    return notFound(nearMissOf(request.url.split('?')[0] ?? '', isServed, origin))
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = new Set(
      [...served.values()].filter(entry => entry.pattern.test(path)).flatMap(entry => [...entry.methods]),
    )
    if (allowed.size === 0) {
      const answered = byApp.get(app)?.(request, reply) ?? null
      if (answered !== null) return answered
      return sendNotFound(reply, notFoundAt(request), request.id)
    }
    return sendError(reply, methodNotAllowed(reply, [...allowed].sort()), request.id)
  })
}

/** Returns the error of a path that has other methods, and names these in the reply's header `Allow`. */
export function methodNotAllowed(reply: FastifyReply, allowed: readonly string[]): GatewayError {
  reply.header('allow', allowed.join(', '))
  return new GatewayError(
    'METHOD_NOT_ALLOWED',
    {},
    { message: `This method is not allowed here. Use ${allowed.join(' or ')}.` },
  )
}

/** Clients of models show `error`, so a wrong base URL is explained there too. */
function sendNotFound(reply: FastifyReply, error: GatewayError, requestId: string): FastifyReply {
  const { path } = error.context
  if (typeof path !== 'string' || !path.startsWith('/v1/')) return sendError(reply, error, requestId)
  reply.request.errorCode = error.code
  const own = { type: 'not_found_error', code: error.code, message: error.message }
  return reply.code(error.status).send({ ...error.toBody(requestId), type: 'error', error: own })
}

function notFound(meant: NearMiss | null): GatewayError {
  if (meant === null) return new GatewayError('NOT_FOUND')
  const { path, baseUrl } = meant
  const message = `There is nothing at this path. Did you mean ${path}? Then the base URL of the client is ${baseUrl}.`
  return new GatewayError('NOT_FOUND', { path, baseUrl }, { message })
}
