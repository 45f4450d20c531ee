import { GatewayError } from '@farebox/wire/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './errors.ts'

/** Answers a path that nobody serves; null leaves it to the error. */
type OnUnknown = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply> | null

const byApp = new WeakMap<object, OnUnknown>()

/** Has something else than an error answer paths that nobody serves; those below a prefix with a handler of its own not. */
export function onUnknownPath(app: object, answer: OnUnknown): void {
  byApp.set(app, answer)
}

/** 404 for a path nobody serves, 405 with `Allow` for a path that is served by other methods. */
export function answerUnknownPaths(app: Pick<FastifyInstance, 'addHook' | 'setNotFoundHandler'>): void {
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
    if (allowed.size === 0) {
      const answered = byApp.get(app)?.(request, reply) ?? null
      return answered ?? sendError(reply, new GatewayError('NOT_FOUND'), request.id)
    }
    reply.header('allow', [...allowed].sort().join(', '))
    return sendError(reply, new GatewayError('METHOD_NOT_ALLOWED'), request.id)
  })
}
