import { z } from 'zod'
import { plainText } from './common.ts'
import { type InvokeInput, invokeIn } from './invocation.ts'

/** Longest text that tools are looked for by. */
const SEARCH_LENGTH_MAX = 200
/** Most tools that one search answers. */
export const SEARCH_LIMIT_MAX = 50
/** Tools that a search answers when it does not say. */
export const SEARCH_LIMIT_DEFAULT = 10
/** Longest agentToolName or service id. */
const SERVICE_NAME_LENGTH_MAX = 64
/** Longest cursor, ours or not. */
const CURSOR_LENGTH_MAX = 512

const searchText = plainText({ min: 0, max: SEARCH_LENGTH_MAX })

/** Query string of `/mcp`: `query` narrows the tools that are listed, for clients that cannot send `_meta`. */
export const mcpQueryIn = z.object({ query: searchText.optional() })

/** What `tools/list` reads of its parameters. `farebox/query` narrows the list, before the query string does. */
export const listToolsIn = z.object({
  cursor: z.string().max(CURSOR_LENGTH_MAX).optional(),
  _meta: z.object({ 'farebox/query': searchText.nullish() }).optional(),
})

const invoke: z.ZodType<InvokeInput> = invokeIn

/**
 * What `tools/call` reads of its parameters: the arguments are the body for the provider, and what belongs to the
 * payment stands in `_meta`, where models do not write. Read as the same request at POST /agent/invoke is, and bound
 * by the same schema.
 */
export const callToolIn = z
  .object({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    _meta: z.record(z.string(), z.unknown()).default({}),
  })
  .transform(({ name, arguments: body, _meta: meta }): unknown => ({
    serviceId: name,
    idempotencyKey: meta['farebox/idempotencyKey'],
    costUsdc: meta['farebox/costUsdc'],
    maxCostUsdc: meta['farebox/maxCostUsdc'],
    payload: { body, query: meta['farebox/query'] },
  }))
  .pipe(invoke)

/** Arguments of `farebox_search`. */
export const searchToolsIn = z.object({
  query: searchText.default(''),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
})

/** Arguments of `farebox_call`; those of the service and the amount are read as `tools/call` reads them. */
export const callServiceIn = z.strictObject({
  service: z.string().min(1).max(SERVICE_NAME_LENGTH_MAX),
  arguments: z.record(z.string(), z.unknown()).optional(),
  maxCostUsdc: z.union([z.string(), z.number()]).optional(),
})

const RPC_MESSAGES_MAX = 20
const ERROR_LENGTH_MAX = 10_000

/** Longest id of a message; longer ones are not answered with. */
export const RPC_ID_LENGTH_MAX = 10_000

const rpcId = z
  .union([z.string().max(RPC_ID_LENGTH_MAX).meta({ pattern: '^[^\\u0000]*$' }), z.int()])
  .meta({ description: 'That of the request.' })
const rpcVersion = z.literal('2.0')
const rpcError = z.object({
  code: z.int(),
  message: z.string().max(ERROR_LENGTH_MAX).meta({ pattern: '^[^\\u0000]*$' }),
  data: z
    .unknown()
    .optional()
    .meta({ description: "The gateway's own error body, where it is one of ours." }),
})

/** A JSON-RPC error that answers no message in particular. */
export const rpcFailure = z.object({ jsonrpc: rpcVersion, id: rpcId.nullable(), error: rpcError })

const rpcAnswer = z.union([
  z.object({ jsonrpc: rpcVersion, id: rpcId, result: z.looseObject({}) }),
  rpcFailure,
])

/** Answer of `POST /mcp`: a JSON-RPC message, or a batch of them. */
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

/** Body of `POST /mcp`, as it is published: the protocol's own reader takes it. */
export const mcpBody = z.union([rpcRequest, z.array(rpcRequest).max(RPC_MESSAGES_MAX)])
