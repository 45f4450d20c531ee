import { GatewayError, ISSUES_MAX } from '@farebox/wire/errors'
import { callServiceIn, listToolsIn, searchToolsIn, type ToolCallIn, toolCallIn } from '@farebox/wire/mcp'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  type CallToolResult,
  ErrorCode,
  InitializeRequestParamsSchema,
  LATEST_PROTOCOL_VERSION,
  type ListToolsResult,
  type Result,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { z } from 'zod'
import { asGatewayError, logFailure } from '../../http/errors.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { InvocationDeps, Invoked } from '../invocation/invoke-service.ts'
import type { CallRequest } from '../invocation/read-call.ts'
import type { Discovery } from '../services/discovery/create-discovery.ts'
import { balanceTool, readRemains } from './mcp-balance.ts'
import { callServiceTool } from './mcp-call.ts'
import { callTool, RpcError, refusedResult, unknownTool } from './mcp-call-tool.ts'
import { listTools } from './mcp-list-tools.ts'
import { searchTool, searchTools } from './mcp-search.ts'

/** A POST of an MCP client: a JSON-RPC message or a batch. */
export type McpExchange = {
  readonly agent: Agent
  readonly request: CallRequest
  /** Parsed body; undefined if there was none. */
  readonly body: unknown
  /** Default filter of `tools/list`, from the query string. */
  readonly text: string
  /** Called with the outcome of each paid call. */
  readonly onInvoked: (invoked: Invoked) => void
}

type McpDeps = InvocationDeps & { readonly discovery: Discovery }

/** Answers exchanges, independently of each other. */
export type McpServer = { answer(exchange: McpExchange): Promise<Response> }

/** Built-in tools. A service with the name of one is listed under its service id. */
const BUILT_INS: readonly Tool[] = [searchTool, callServiceTool, balanceTool]
const TAKEN: ReadonlySet<string> = new Set(BUILT_INS.map(({ name }) => name))

/** Methods of a server of tools, beside those of its lifecycle. */
const METHODS = new Map<string, (deps: McpDeps, exchange: McpExchange, params: unknown) => Promise<Result>>([
  ['tools/list', list],
  ['tools/call', call],
])

const INSTRUCTIONS =
  'Every tool but farebox_search and farebox_balance makes a paid call: it is charged in USDC to the credential of ' +
  "this connection, at the price in the tool's description. Only a successful call is charged. The list holds some of " +
  'the services only: find others with farebox_search and call them with farebox_call. Descriptions of services are ' +
  'written by their providers, not by Farebox or your user. The bill is in ' +
  '_meta of the result. To retry a call without paying twice, send _meta["farebox/idempotencyKey"]; to ' +
  'cap what a call may cost, _meta["farebox/maxCostUsdc"].'

/**
 * Returns the Model Context Protocol server (Streamable HTTP, without sessions). Each POST gets a protocol server and
 * transport of its own that end with its response, so that any gateway can answer any request. Its responses are plain
 * JSON; notifications of progress are sent around it (mcp-progress.ts).
 */
export function createMcpServer(deps: McpDeps, version: string): McpServer {
  const serverInfo = { name: 'farebox', title: 'Farebox', version }
  const offer = { capabilities: { tools: {} }, instructions: INSTRUCTIONS }
  const options = {
    ...offer,
    // Shared, as each server would otherwise create its own.
    jsonSchemaValidator: new AjvJsonSchemaValidator(),
  }
  return {
    async answer(exchange) {
      const server = new Server(serverInfo, options)
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      // Ignores cancellation: the call may have reached the provider, so it is settled and answered.
      server.removeNotificationHandler('notifications/cancelled')
      server.onerror = error => deps.log.debug({ requestId: exchange.request.id, err: error }, 'mcp')
      // Not by setRequestHandler: its reader of parameters answers wrong ones with -32603 and pages of its schema.
      server.removeRequestHandler('initialize')
      server.fallbackRequestHandler = async ({ method, params = {} }) => {
        if (method === 'initialize') return { protocolVersion: readVersion(params), serverInfo, ...offer }
        const answer = METHODS.get(method)
        if (answer === undefined) throw new RpcError(ErrorCode.MethodNotFound, 'Method not found')
        return orRpcError(deps, exchange, () => answer(deps, exchange, params))
      }
      try {
        await server.connect(transport)
        return await transport.handleRequest(webRequest(exchange), { parsedBody: exchange.body })
      } finally {
        await server.close()
      }
    },
  }
}

/**
 * Returns the request for the transport, which requires clients to accept event streams even though it never sends any.
 */
function webRequest({ request }: McpExchange): Request {
  const { accept, 'mcp-protocol-version': protocolVersion } = request.headers
  const isAnyAccepted = typeof accept !== 'string' || accept.includes('*/*')
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: isAnyAccepted ? 'application/json, text/event-stream' : accept,
      ...(typeof protocolVersion === 'string' && { 'mcp-protocol-version': protocolVersion }),
    },
  })
}

/** Returns the protocol version that a client asks for, or the latest one if this is none of ours. */
function readVersion(params: unknown): string {
  const { protocolVersion } = readParams(InitializeRequestParamsSchema, params)
  return SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : LATEST_PROTOCOL_VERSION
}

async function list(deps: McpDeps, { agent, text }: McpExchange, params: unknown): Promise<ListToolsResult> {
  const { cursor, _meta: meta } = readParams(listToolsIn, params)
  await deps.calls.count(agent)
  const { tools, nextCursor } = await listTools(deps, {
    agent,
    cursor,
    builtIns: BUILT_INS,
    text: meta?.['farebox/query'] ?? text,
  })
  return { tools: [...tools], ...(nextCursor !== undefined && { nextCursor }) }
}

async function call(
  deps: McpDeps,
  { agent, request, onInvoked }: McpExchange,
  given: unknown,
): Promise<CallToolResult> {
  const params = readParams(toolCallIn, given)
  const tool = params.name
  try {
    if (tool === balanceTool.name) return freeResult(await readRemains(deps, agent))
    if (tool === searchTool.name) {
      const { query: text, limit } = readSearch(params.arguments)
      return freeResult(await searchTools(deps, { agent, text, limit, taken: TAKEN }))
    }
    const called = tool === callServiceTool.name ? readCalled(params) : params
    return await callTool(deps, { agent, request, params: called, onInvoked })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    logFailure(deps.log, error, request.id)
    return refusedResult(error.toBody(request.id), tool)
  }
}

function readSearch(given: Record<string, unknown> = {}) {
  return readArguments(searchToolsIn, given)
}

/** Returns the call that a call of `farebox_call` wraps. Built-in tools cannot be called this way. */
function readCalled({ arguments: given = {}, _meta: meta }: ToolCallIn): ToolCallIn {
  const { service: name, arguments: args, maxCostUsdc } = readArguments(callServiceIn, given)
  if (TAKEN.has(name)) throw unknownTool(name)
  const cap = maxCostUsdc === undefined ? {} : { 'farebox/maxCostUsdc': maxCostUsdc }
  return { name, arguments: args, _meta: { ...meta, ...cap } }
}

/** @throws RpcError InvalidParams that names the first wrong parameter */
function readParams<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new RpcError(
    ErrorCode.InvalidParams,
    `${['params', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`,
  )
}

function readArguments<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.slice(0, ISSUES_MAX).map(({ path, message }) => ({
    path: ['payload', 'body', ...path].join('.'),
    message,
  }))
  throw new GatewayError('INVALID_PAYLOAD', { issues })
}

function freeResult(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** Converts errors to JSON-RPC errors; unexpected ones are only logged. */
async function orRpcError<Result>(
  deps: InvocationDeps,
  { request }: McpExchange,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof RpcError) throw thrown
    const error = asGatewayError(thrown)
    logFailure(deps.log, error, request.id)
    const code = error.status === 400 ? ErrorCode.InvalidParams : ErrorCode.InternalError
    throw new RpcError(code, error.message, error.toBody(request.id))
  }
}
