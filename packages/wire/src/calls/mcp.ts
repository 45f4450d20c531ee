import { z } from 'zod'
import { plainText } from '../common.ts'
import { strict } from '../strict.ts'
import { type InvokeInput, invokeIn } from './invocation.ts'

/** Maximum length of a tool search. */
const SEARCH_LENGTH_MAX = 200
/** Maximum number of tools in a search result. */
export const SEARCH_LIMIT_MAX = 50
/** Default number of tools in a search result. */
export const SEARCH_LIMIT_DEFAULT = 10
/** Maximum length of an agentToolName or service id. */
const SERVICE_NAME_LENGTH_MAX = 64
/** Maximum length of a cursor. */
const CURSOR_LENGTH_MAX = 512

const searchText = plainText({ min: 0, max: SEARCH_LENGTH_MAX })

/** Query string of `/mcp`: `query` filters the listed tools, for clients that cannot send `_meta`. */
export const mcpQueryIn = z.object({ query: searchText.optional() })

/** Parameters of `tools/list`. `farebox/query` filters the list and takes precedence over the query string. */
export const listToolsIn = z.object({
  cursor: z.string().max(CURSOR_LENGTH_MAX).optional(),
  _meta: z.object({ 'farebox/query': searchText.nullish() }).optional(),
})

const invoke: z.ZodType<InvokeInput> = invokeIn

/** Parameters of `tools/call`, whichever the tool. */
export const toolCallIn = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).default({}),
})

/** Parameters of `tools/call`. */
export type ToolCallIn = z.output<typeof toolCallIn>

/**
 * Parameters of `tools/call` for a service. The arguments are the body for the provider; payment parameters are in
 * `_meta`, which models do not write. Converted to a request of POST /agent/invoke and validated by the same schema.
 */
export const callToolIn = toolCallIn
  .transform(({ name, arguments: body, _meta: meta }): unknown => ({
    serviceId: name,
    idempotencyKey: meta['farebox/idempotencyKey'],
    costUsdc: meta['farebox/costUsdc'],
    maxCostUsdc: meta['farebox/maxCostUsdc'],
    payload: { body, query: meta['farebox/query'] },
  }))
  .pipe(invoke)

/** Arguments of `farebox_search`. A misspelt query would find all tools. */
export const searchToolsIn = strict({
  query: searchText.default(''),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
})

/** Arguments of `farebox_call`; the service's arguments and the amount are read as by `tools/call`. */
export const callServiceIn = strict({
  service: z.string().min(1).max(SERVICE_NAME_LENGTH_MAX),
  arguments: z.record(z.string(), z.unknown()).optional(),
  maxCostUsdc: z.union([z.string(), z.number()]).optional(),
})

const RPC_MESSAGES_MAX = 20
const ERROR_LENGTH_MAX = 10_000

/** Maximum length of a message id; longer ones are not echoed. */
export const RPC_ID_LENGTH_MAX = 10_000

const rpcId = z
  .union([z.string().max(RPC_ID_LENGTH_MAX).meta({ pattern: '^[^\\u0000]*$' }), z.int()])
  .meta({ description: 'Id of the request.' })
const rpcVersion = z.literal('2.0')
const rpcError = z.object({
  code: z.int(),
  message: z.string().max(ERROR_LENGTH_MAX).meta({ pattern: '^[^\\u0000]*$' }),
  data: z.unknown().optional().meta({ description: "The gateway's error body, if the error is its own." }),
})

/** A JSON-RPC error that is not a reply to a specific message. */
export const rpcFailure = z.object({ jsonrpc: rpcVersion, id: rpcId.nullable(), error: rpcError })

const rpcAnswer = z.union([
  z.object({ jsonrpc: rpcVersion, id: rpcId, result: z.looseObject({}) }),
  rpcFailure,
])

/** Answer of `POST /mcp`: a JSON-RPC message or a batch. */
export const mcpAnswer = z.union([rpcAnswer, z.array(rpcAnswer).max(RPC_MESSAGES_MAX)])

const rpcRequest = z.looseObject({
  jsonrpc: rpcVersion,
  id: rpcId.optional(),
  method: z
    .string()
    .max(256)
    .regex(/^[\w/.$-]+$/),
  params: z.looseObject({}).optional(),
})

/** Published body of `POST /mcp`. The gateway parses the actual body with the protocol's own parser. */
export const mcpBody = z.union([rpcRequest, z.array(rpcRequest).max(RPC_MESSAGES_MAX)])
