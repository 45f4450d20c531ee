import { isObject } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import { mcpAnswer, mcpBody, mcpQueryIn, RPC_ID_LENGTH_MAX, rpcFailure } from '@farebox/wire/mcp'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../app.ts'
import { asGatewayError } from '../../http/errors.ts'
import { roundIntegers } from '../../http/exact-integers.ts'
import { type Contract, contract, errorBody } from '../../http/openapi/contract.ts'
import type { Agent, AgentGuard } from '../credentials/require-agent.ts'
import type { InvocationDeps } from '../invocation/invoke-service.ts'
import { sendRate } from '../invocation/rate-headers.ts'
import type { Discovery } from '../services/discovery/create-discovery.ts'
import { notifyUntilAnswered, readProgressAsked } from './mcp-progress.ts'
import { createMcpServer } from './mcp-server.ts'

/** Maximum number of JSON-RPC messages per request. Only protocol version 2025-03-26 has batches. */
const BATCH_MAX = 20
/** Maximum members of a message and of each object in it that is read: the protocol's schemas copy them. */
const MEMBERS_MAX = 10_000
/** Defined by JSON-RPC 2.0, 5.1. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

declare module 'fastify' {
  interface FastifyRequest {
    agent?: Agent
  }
}

const about: Contract = {
  id: 'callMcp',
  summary: 'Send a Model Context Protocol message',
  description:
    'Streamable HTTP without sessions: each POST is answered independently, with JSON. A call with `_meta.progressToken` that takes longer than a second is answered with an event stream: notifications of progress, then the result. A tool is a service, named by its agentToolName with its request schema as input. `tools/list` shows those of the allow-list of the credential; without one what its owner has paid before, then the best ranked, 50 in all. `farebox_search` finds the others, `farebox_call` calls them, `farebox_balance` returns what can be spent. A list counts towards `rpm`. Errors of a call are in its result; the rate and the budget of the credential apply as in `POST /api/v1/agent/invoke`. Pages of unknown origins are refused.',
  tag: 'Invocation',
  access: 'agent',
  errors: ['FORBIDDEN'],
  body: mcpBody,
  hasExactIntegers: true,
  invalidBodyCode: 'INVALID_REQUEST',
  answer: mcpAnswer,
  otherTypes: { 'text/event-stream': 'Notifications of progress, then the answer.' },
  otherStatuses: { 202: 'Notifications only, which have no answer.' },
  errorAnswer: z.union([
    rpcFailure,
    errorBody([
      'INVALID_REQUEST',
      'CREDENTIAL_INVALID',
      'CREDENTIAL_INACTIVE',
      'WALLET_SUSPENDED',
      'FORBIDDEN',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'INTERNAL',
      'UNAVAILABLE',
      'LOOP_DETECTED',
    ]),
  ]),
  example: {
    jsonrpc: '2.0',
    id: 1,
    result: {
      content: [{ type: 'text', text: '{"city":"Lisbon","celsius":21}' }],
      structuredContent: { city: 'Lisbon', celsius: 21 },
      _meta: { 'farebox/invocationId': 'inv_01kahd5w3xqv7m2c9z4n8r6t0e', 'farebox/chargedUsdc': '0.050000' },
    },
  },
  exampleBody: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'weather', arguments: { city: 'Lisbon' } },
  },
}

/**
 * Registers `POST /mcp`: the Model Context Protocol for agents, by Streamable HTTP. There are no sessions, hence no GET
 * and no DELETE (405). Errors before a JSON-RPC message is parsed have the gateway's own format.
 *
 * @param version of this gateway, reported to clients
 */
export function mcpRoutes(
  app: App,
  deps: InvocationDeps & { agents: AgentGuard; discovery: Discovery },
  version: string,
): void {
  const server = createMcpServer(deps, version)
  const origins = new Set([new URL(deps.publicUrl).origin, ...deps.config.CORS_ORIGINS])

  app.post(
    '/mcp',
    {
      ...contract(about, { querystring: mcpQueryIn }),
      onRequest: async (request, reply) => {
        requireOrigin(origins, request)
        request.agent = await requireBearer(deps, request, reply)
      },
      errorHandler: async (thrown, request, reply) => {
        const error = asGatewayError(thrown)
        const isUnreadable = error.code === 'INVALID_REQUEST' && request.body === undefined
        if (request.agent === undefined || !isUnreadable) throw thrown
        return sendRpcError(reply, PARSE_ERROR, error.message)
      },
    },
    async (request, reply) => {
      const { agent } = request
      const body = withNumbers(request.body)
      if (agent === undefined) throw new GatewayError('CREDENTIAL_INVALID')
      const fault = faultOfIds(body) ?? faultOfMembers(body)
      if (fault !== null) return sendRpcError(reply, INVALID_REQUEST, fault)
      const answering = server.answer({
        agent,
        body,
        request,
        text: request.query.query ?? '',
        onInvoked: invoked => sendRate(reply, invoked),
      })
      const asked = readProgressAsked(body)
      const answer = await (asked === null
        ? answering
        : notifyUntilAnswered(reply, asked, answering, deps.log))
      return answer === null ? reply : send(reply, answer)
    },
  )
}

/**
 * Rejects browser requests from unknown origins, to prevent DNS rebinding (Model Context Protocol 2025-11-25,
 * transports, security warning).
 */
function requireOrigin(origins: ReadonlySet<string>, { headers }: FastifyRequest): void {
  const { origin } = headers
  if (origin === undefined || origins.has(origin)) return
  throw new GatewayError(
    'FORBIDDEN',
    { origin },
    { message: 'Pages of this origin are not allowed to call this gateway.' },
  )
}

/**
 * Returns the credential of a request; without one, responds with the scheme to use (RFC 6750, 3) and where a client
 * finds out how to get a token (RFC 9728, 5.1).
 */
async function requireBearer(
  { agents, publicUrl }: { readonly agents: AgentGuard; readonly publicUrl: string },
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<Agent> {
  try {
    return await agents.authenticate(headers)
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) {
      const problem = headers.authorization === undefined ? '' : ', error="invalid_token"'
      const metadata = `${publicUrl}/.well-known/oauth-protected-resource/mcp`
      const challenge = `Bearer realm="farebox"${problem}, resource_metadata="${metadata}"`
      reply.header('www-authenticate', challenge)
    }
    throw error
  }
}

/** Returns messages with exact integers in the arguments of calls only, which go to providers: the protocol has numbers. */
function withNumbers(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withNumbers)
  const rounded = roundIntegers(body)
  if (rounded === body || !isObject(body) || !isObject(body.params) || !isObject(rounded)) return rounded
  const params = Object.assign({}, rounded.params, { arguments: body.params.arguments })
  return Object.assign({}, rounded, { params })
}

/** Returns why a message or a batch is rejected because of its ids, or null. */
function faultOfIds(body: unknown): string | null {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (messages.length > BATCH_MAX) return `A batch must have at most ${BATCH_MAX} messages.`
  const ids = messages.flatMap(message =>
    typeof message === 'object' && message !== null && 'id' in message ? [message.id] : [],
  )
  if (ids.some(id => typeof id === 'string' && id.length > RPC_ID_LENGTH_MAX)) {
    return `An id must have at most ${RPC_ID_LENGTH_MAX} characters.`
  }
  // With duplicate ids the caller would receive only one of the answers but pay for all calls.
  return new Set(ids).size < ids.length ? 'The requests of a batch must have distinct ids.' : null
}

/** Returns why a message is rejected because of its number of members, or null. */
function faultOfMembers(body: unknown): string | null {
  const membersOf = (value: unknown): Record<string, unknown> =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  for (const message of [body].flat()) {
    const { params } = membersOf(message)
    const { arguments: given, _meta: meta } = membersOf(params)
    const inner = membersOf(given).arguments
    const isTooMany = [message, params, given, meta, inner].some(
      value => Object.keys(membersOf(value)).length > MEMBERS_MAX,
    )
    if (isTooMany) return `An object must have at most ${MEMBERS_MAX} members.`
  }
  return null
}

async function send(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  reply.code(answer.status)
  if (answer.body === null) return reply.send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(await answer.text())
}

/** Sends a JSON-RPC error that is not a reply to a specific message. */
function sendRpcError(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.code(400).send({ jsonrpc: '2.0', id: null, error: { code, message } })
}
