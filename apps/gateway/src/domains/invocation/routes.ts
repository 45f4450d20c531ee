import { GatewayError } from '@farebox/wire/errors'
import { type InvokeInput, invokeIn, usageLogsIn } from '@farebox/wire/invocation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../app.ts'
import { acceptsCsv, sendCsv } from '../../http/csv.ts'
import { sendError } from '../../http/errors.ts'
import { idempotencyKeyOf, requestHash } from '../../http/idempotency.ts'
import { sendRateLimitHeaders } from '../../http/rate-limit.ts'
import { authenticateOwner, ownerGuard, ownerOf } from '../auth/require-owner.ts'
import type { Agent, AgentGuard } from '../credentials/require-agent.ts'
import { type InvocationDeps, invokeService } from './invoke-service.ts'
import { listUsage } from './list-usage.ts'
import { USAGE_COLUMNS } from './present.ts'
import { readInvocation } from './read-invocation.ts'

const RATE_WINDOW_SECONDS = 60
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
const ISSUES_MAX = 20

declare module 'fastify' {
  interface FastifyRequest {
    agent?: Agent
  }
}

/** Routes of paid calls, below `/api/v1`. */
export function invocationRoutes(app: App, deps: InvocationDeps & { agents: AgentGuard }): void {
  const requireAgent = async (request: FastifyRequest) => {
    request.agent = await deps.agents.authenticate(request.headers)
  }

  app.post('/agent/invoke', { onRequest: requireAgent }, async (request, reply) => {
    const { agent, headers, body } = request
    if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
    const input = readInput(body, headers)
    const { traceparent } = headers
    const invoked = await invokeService(deps, {
      ...{ agent, requestId: request.id, input },
      idempotencyKey: input instanceof GatewayError ? null : (input.idempotencyKey ?? null),
      requestHash: input instanceof GatewayError ? Buffer.alloc(0) : hashOf(input),
      traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    })
    const { rate } = invoked
    if (rate !== null) {
      const state = { remaining: rate.remaining, resetSeconds: rate.seconds }
      sendRateLimitHeaders(reply, {
        name: 'rpm',
        quota: rate.rpm,
        windowSeconds: RATE_WINDOW_SECONDS,
        ...state,
      })
    } else if ('error' in invoked && invoked.error.code === 'RATE_LIMITED') {
      sendRateLimitHeaders(reply, {
        ...{ name: 'rpm', quota: agent.rpm, windowSeconds: RATE_WINDOW_SECONDS, remaining: 0 },
        resetSeconds: Number(invoked.error.context.retryAfterSeconds),
      })
    }
    if ('error' in invoked) return sendError(reply, invoked.error, request.id)
    return sendAnswer(reply, invoked.answer)
  })

  app.get(
    '/agent/invocations/:id',
    { schema: { params: z.object({ id: z.string().max(64) }) } },
    async request => {
      const { authorization } = request.headers
      const isOwner = authorization !== undefined && /^bearer ey/i.test(authorization)
      const reader = isOwner
        ? { wallet: (await authenticateOwner(deps, authorization)).wallet }
        : { credentialId: (await deps.agents.authenticate(request.headers)).credentialId }
      return readInvocation(deps, request.params.id, reader)
    },
  )

  app.get(
    '/usage/logs',
    { onRequest: ownerGuard(deps), schema: { querystring: usageLogsIn } },
    async (request, reply) => {
      const { limit, cursor, ...filter } = request.query
      const page = await listUsage(deps, { owner: ownerOf(request).wallet, filter, cursor, limit })
      if (acceptsCsv(request)) return sendCsv(reply, USAGE_COLUMNS, page.logs)
      return { status: 'success', ...page }
    },
  )
}

/** Reads the request; what is wrong with it is told later, once the rate has counted the request. */
function readInput(body: unknown, headers: FastifyRequest['headers']): InvokeInput | GatewayError {
  const parsed = invokeIn.safeParse(body ?? {})
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, ISSUES_MAX)
      .map(({ path, message }) => ({ path: path.join('.'), message }))
    const [first] = issues
    const message = first === undefined ? 'The body is not valid.' : `${first.path}: ${first.message}`
    return new GatewayError('INVALID_PAYLOAD', { issues }, { message })
  }
  try {
    const idempotencyKey = parsed.data.idempotencyKey ?? idempotencyKeyOf(headers) ?? undefined
    return { ...parsed.data, idempotencyKey }
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

/** What an idempotency key stands for: service, payload and what the caller agreed to pay. */
function hashOf(input: InvokeInput): Buffer {
  const { serviceId, payload, costUsdc, maxCostUsdc } = input
  return requestHash({
    serviceId,
    payload,
    costUsdc: costUsdc?.toString(),
    maxCostUsdc: maxCostUsdc?.toString(),
  })
}

function sendAnswer(
  reply: FastifyReply,
  answer: { httpStatus: number; body: string; isReplay: boolean },
): FastifyReply {
  if (answer.isReplay) reply.header('idempotent-replayed', 'true')
  return reply
    .code(answer.httpStatus)
    .header('content-type', 'application/json; charset=utf-8')
    .send(answer.body)
}
