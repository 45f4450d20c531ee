import { type ErrorBody, GatewayError } from '@farebox/wire/errors'
import {
  type InvokeInput,
  invocationPathIn,
  invocationResult,
  invokeIn,
  shownInvocation,
} from '@farebox/wire/invocation'
import { misspeltMembers } from '@farebox/wire/strict'
import { spendingAnswer, spendingIn, usageLogsIn, usageLogsPage } from '@farebox/wire/usage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { acceptsCsv, linkNext, sendCsv } from '../../http/csv.ts'
import { asGatewayError, invalidPayload, retryHeaders, sendError } from '../../http/errors.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import { contract } from '../../http/openapi/contract.ts'
import { authenticateOwner, ownerGuard, ownerOf } from '../auth/require-owner.ts'
import type { Agent, AgentGuard } from '../credentials/require-agent.ts'
import * as examples from './examples.ts'
import { type Answer, asksForStream, type InvocationDeps, invokeService } from './invoke-service.ts'
import { sendRate } from './rate-headers.ts'
import { callOf } from './read-call.ts'
import { listUsage } from './records/list-usage.ts'
import { USAGE_COLUMNS } from './records/present.ts'
import { billOf } from './records/read-answer.ts'
import { readInvocation } from './records/read-invocation.ts'
import { sumSpending } from './records/sum-spending.ts'
import { AgentStream } from './stream/agent-stream.ts'

/** Type of answers that are JSON text already. */
const JSON_TYPE = 'application/json; charset=utf-8'

declare module 'fastify' {
  interface FastifyRequest {
    agent?: Agent
    /** Set once a call is on its way: what fails from then on is no fault of its body. */
    isCallRead?: boolean
  }
}

const INVOKE_DESCRIPTION =
  'Holds the price, calls the provider, charges. A fixed-price service is called at `costUsdc`, the price seen in discovery; an LLM service at a hold of `maxCostUsdc`, or an automatic one, of which the final usage is charged and the rest released. `maxCostUsdc` is a cap: the bound on output tokens is lowered to what it pays for after the prompt, a cap that does not pay for the prompt and one output token is `LIMIT_EXCEEDED` with `detail.requiredHoldUsdc`, and a fixed price above it is `PRICE_MISMATCH`. A failed call is never charged.\n\n' +
  'With an idempotency key (in the body or the header) the same call is paid once: sent again, it is answered with the stored answer, failures too, and `Idempotent-Replayed: true`. Results are kept for a time (30 days unless the gateway says otherwise); after it the same call is still not made again, and is answered without its result and with `answerExpired: true`.\n\n' +
  'With `responseMode: "stream"`, or `payload.body.stream: true` to an LLM service, the answer is server-sent events: the chunks of the provider, then `event: gateway` with this result, then `[DONE]`; a stream that was cut ends with `event: error`.\n\n' +
  'After 502 UPSTREAM_ERROR with `detail.status: "PROCESSING"` do not call again before the invocation is terminal: its provider may still report the usage.'

/** Routes of paid calls, below `/api/v1`. */
export function invocationRoutes(app: App, deps: InvocationDeps & { agents: AgentGuard }): void {
  invoke(app, deps)
  read(app, deps)
  log(app, deps)
}

function invoke(app: App, deps: InvocationDeps & { agents: AgentGuard }): void {
  app.post(
    '/agent/invoke',
    {
      ...contract({
        id: 'invokeService',
        summary: 'Call a service and pay for it',
        description: INVOKE_DESCRIPTION,
        tag: 'Invocation',
        access: 'agent',
        body: invokeIn,
        idempotencyKey: 'optional',
        errors: [
          'RATE_LIMITED',
          'SERVICE_NOT_FOUND',
          'SERVICE_NOT_ALLOWED',
          'PRICE_MISMATCH',
          'LIMIT_EXCEEDED',
          'LLM_AUTO_HOLD_LIMIT_EXCEEDED',
          'BUDGET_EXHAUSTED',
          'UPSTREAM_ERROR',
          'GATEWAY_INTERRUPTED',
        ],
        answer: invocationResult,
        otherTypes: {
          'text/event-stream': 'The chunks of the provider, then the result as `event: gateway`.',
        },
        example: examples.result,
        exampleBody: examples.invokeBody,
      }),
      onRequest: async (request, reply) => {
        request.agent = await deps.agents.authenticatePayer(request.headers)
        const shed = deps.calls.shed(request.agent.owner)
        return shed === null ? undefined : sendError(reply, shed, request.id)
      },
      // A body that cannot be read never reaches the handler, and counts against the rate like any other.
      errorHandler: async (error, request, reply) => {
        if (request.agent === undefined || request.isCallRead === true) throw error
        return answerCall(deps, {
          request,
          reply,
          agent: request.agent,
          input: asGatewayError(error, request),
        })
      },
    },
    async (request, reply) => {
      const { agent, headers, body } = request
      if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
      request.isCallRead = true
      return answerCall(deps, { request, reply, agent, input: readInput(body, headers) })
    },
  )
}

function read(app: App, deps: InvocationDeps & { agents: AgentGuard }): void {
  app.get(
    '/agent/invocations/:id',
    contract(
      {
        id: 'readInvocation',
        summary: 'Read a call that was made',
        description:
          'The answer again, or where the call stands and why. For the credential that made it, and for its owner by the session of the wallet.',
        tag: 'Invocation',
        access: 'agentOrWallet',
        errors: ['INVOCATION_NOT_FOUND'],
        answer: shownInvocation,
        example: examples.shown,
      },
      { params: invocationPathIn },
    ),
    async (request, reply) => {
      const { authorization } = request.headers
      const isOwner = authorization !== undefined && /^bearer ey/i.test(authorization)
      const reader = isOwner
        ? { wallet: (await authenticateOwner(deps, authorization)).wallet }
        : { credentialId: (await deps.agents.authenticate(request.headers)).credentialId }
      const body = await readInvocation(deps, request.params.id, reader)
      return reply.header('content-type', JSON_TYPE).send(body)
    },
  )
}

function log(app: App, deps: InvocationDeps): void {
  app.get(
    '/usage/logs',
    {
      ...contract(
        {
          id: 'listUsage',
          summary: 'List the calls that my credentials made',
          description:
            'Newest first. With `Accept: text/csv` as a table, with the next page in a `Link` header.',
          tag: 'Invocation',
          access: 'wallet',
          answer: usageLogsPage,
          otherTypes: { 'text/csv': 'The calls as a table (RFC 4180).' },
          example: examples.usageLogs,
        },
        { querystring: usageLogsIn },
      ),
      onRequest: ownerGuard(deps),
    },
    async (request, reply) => {
      const { limit, cursor, ...filter } = request.query
      const page = await listUsage(deps, { owner: ownerOf(request).wallet, filter, cursor, limit })
      if (!acceptsCsv(request)) return { status: 'success', ...page }
      linkNext(request, reply, page.nextCursor)
      return sendCsv(reply, USAGE_COLUMNS, page.logs)
    },
  )

  app.get(
    '/usage/summary',
    {
      ...contract(
        {
          id: 'readSpending',
          summary: 'Sum up what my credentials have spent',
          description:
            'By UTC day, by service and by credential. A call counts on the day on which it was made; what is held for calls under way is not spent yet.',
          tag: 'Invocation',
          access: 'wallet',
          answer: spendingAnswer,
          example: examples.spending,
        },
        { querystring: spendingIn },
      ),
      onRequest: ownerGuard(deps),
    },
    async request => ({
      status: 'success',
      ...(await sumSpending(deps, { owner: ownerOf(request).wallet, days: request.query.days })),
    }),
  )
}

/** One call, from what was read of it to its answer, whole or as a stream. */
async function answerCall(
  deps: InvocationDeps & { agents: AgentGuard },
  call: { request: FastifyRequest; reply: FastifyReply; agent: Agent; input: InvokeInput | GatewayError },
): Promise<FastifyReply> {
  const { request, reply, agent, input } = call
  const stream = new AgentStream(reply)
  const invoked = await invokeService(
    deps,
    callOf({
      agent,
      request,
      input,
      assertsPrice: true,
      sink: stream,
      renewAgent: () => deps.agents.authenticate(request.headers),
    }),
  ).catch((error: unknown) => {
    if (!stream.isOpen) throw error
    return { rate: null, error: asGatewayError(error) }
  })
  if (stream.isOpen) return stream.end(invoked, request.id)
  sendRate(reply, invoked)
  if ('error' in invoked) return sendError(reply, invoked.error, request.id)
  const { answer } = invoked
  if (answer.isReplay) reply.header('idempotent-replayed', 'true')
  if (answer.httpStatus === 200 && !(input instanceof GatewayError) && expectsEvents(input, answer)) {
    return stream.endAtOnce(answer, request.id)
  }
  if (answer.httpStatus >= 400) reply.headers(retryHeaders((JSON.parse(answer.body) as ErrorBody).detail))
  return reply.code(answer.httpStatus).header('content-type', JSON_TYPE).send(answer.body)
}

/** Whether the caller of a call that was answered whole waits for a stream all the same. */
function expectsEvents(input: InvokeInput, answer: Answer): boolean {
  if (!asksForStream(input)) return false
  // `stream` in a body means something to models only; anything else may have a member of that name.
  return input.responseMode === 'stream' || billOf(answer.body).usage !== null
}

/** Clients send members of their own, but a cap or a key that is misspelt must not be dropped. */
const INVOKE_MEMBERS = {
  known: Object.keys(invokeIn.shape),
  matters: ['costUsdc', 'maxCostUsdc', 'idempotencyKey'],
}

/** Reads the request; what is wrong with it is told later, once the rate has counted the request. */
function readInput(body: unknown, headers: FastifyRequest['headers']): InvokeInput | GatewayError {
  const message = misspeltMembers(body, INVOKE_MEMBERS)
  if (message !== null) return new GatewayError('INVALID_REQUEST', {}, { message })
  const parsed = invokeIn.safeParse(body ?? {})
  if (!parsed.success) return invalidPayload(parsed.error)
  try {
    const idempotencyKey = parsed.data.idempotencyKey ?? idempotencyKeyOf(headers) ?? undefined
    return { ...parsed.data, idempotencyKey }
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
