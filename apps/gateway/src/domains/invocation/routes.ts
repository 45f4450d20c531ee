import { type ErrorBody, GatewayError } from '@farebox/wire/errors'
import {
  type InvokeInput,
  invocationPathIn,
  invocationResult,
  invokeIn,
  misplacedArgument,
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
import { type Agent, type AgentGuard, hasCredential } from '../credentials/require-agent.ts'
import * as examples from './examples.ts'
import { type Answer, asksForStream, type InvocationDeps, invokeService } from './invoke-service.ts'
import { sendRate } from './rate-headers.ts'
import { callOf } from './read-call.ts'
import { listUsage } from './records/list-usage.ts'
import { USAGE_COLUMNS } from './records/present.ts'
import { billOf } from './records/read-answer.ts'
import { readInvocation } from './records/read-invocation.ts'
import { SPENDING_COLUMNS, spendingRows, sumSpending } from './records/sum-spending.ts'
import { AgentStream } from './stream/agent-stream.ts'

/** Type of answers that are already JSON text. */
const JSON_TYPE = 'application/json; charset=utf-8'

declare module 'fastify' {
  interface FastifyRequest {
    agent?: Agent
    /** Set once a call is in flight: later failures are not about its body. */
    isCallRead?: boolean
  }
}

const INVOKE_DESCRIPTION =
  'Holds the price, calls the provider and charges. A fixed-price service requires `costUsdc`, the price that discovery shows. For an LLM service `maxCostUsdc` or an automatic amount is held, the final usage is charged and the rest released. `maxCostUsdc` is a cap: it lowers the output token limit to what it covers; a cap below the cost of the prompt and one output token is `LIMIT_EXCEEDED` with `detail.requiredHoldUsdc`, one below a fixed price `PRICE_MISMATCH`. A failed call is never charged.\n\n' +
  'With an idempotency key (in the body, or else the header) a call is paid once: repeated requests get the stored answer, also of a failure, with `Idempotent-Replayed: true`. Results are stored for 30 days by default; after that a repeated request still makes no call, and gets `answerExpired: true` without the result.\n\n' +
  'With `responseMode: "stream"`, or `payload.body.stream: true` to an LLM service, the answer is server-sent events: the chunks of the provider, then `event: gateway` with this result, then `[DONE]`; a stream that was cut ends with `event: error`.\n\n' +
  'After 502 UPSTREAM_ERROR with `detail.status: "PROCESSING"` do not retry before the invocation is terminal: its provider may still report the usage.'

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
        hasExactIntegers: true,
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
      // An unreadable body never reaches the handler, but counts against the rate.
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
        summary: 'Read a call',
        description:
          'Its status and stored answer. For the credential that made it, and for the session of its owner. If both are sent, the credential counts.',
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
      const isSession = authorization !== undefined && /^bearer ey/i.test(authorization)
      const isOwner = isSession && !hasCredential(request.headers)
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
            'By hour, day or week (UTC), by service, credential or model. A call counts at the time it was made; holds of calls in flight are not spent yet. With `Accept: text/csv` the buckets of the series as a table.',
          tag: 'Invocation',
          access: 'wallet',
          answer: spendingAnswer,
          otherTypes: { 'text/csv': 'Buckets of series, a row each (RFC 4180).' },
          example: examples.spending,
        },
        { querystring: spendingIn },
      ),
      onRequest: ownerGuard(deps),
    },
    async (request, reply) => {
      const sums = await sumSpending(deps, { owner: ownerOf(request).wallet, ...request.query })
      if (!acceptsCsv(request)) return { status: 'success', ...sums }
      return sendCsv(reply, SPENDING_COLUMNS, spendingRows(sums))
    },
  )
}

/** Runs one call, from its parsed request to its answer, complete or streamed. */
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

/** Returns true if the caller of a call with a complete answer expects a stream. */
function expectsEvents(input: InvokeInput, answer: Answer): boolean {
  if (!asksForStream(input)) return false
  // `stream` in a body has a meaning for models only.
  return input.responseMode === 'stream' || billOf(answer.body).usage !== null
}

/** Unknown members are allowed, but a misspelt cap or key must not be ignored, nor arguments for the provider. */
const INVOKE_MEMBERS = {
  known: Object.keys(invokeIn.shape),
  matters: ['costUsdc', 'maxCostUsdc', 'idempotencyKey'],
}

/** Parses the request; faults are reported after the rate has counted it. */
function readInput(body: unknown, headers: FastifyRequest['headers']): InvokeInput | GatewayError {
  const message = misspeltMembers(body, INVOKE_MEMBERS) ?? misplacedArgument(body)
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
