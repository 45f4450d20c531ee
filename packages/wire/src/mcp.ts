import { z } from 'zod'
import { plainText } from './common.ts'
import { type InvokeInput, invokeIn } from './invocation.ts'

/** Longest text that tools are looked for by. */
const SEARCH_LENGTH_MAX = 200
/** Most tools that one search answers. */
export const SEARCH_LIMIT_MAX = 50
/** Tools that a search answers when it does not say. */
export const SEARCH_LIMIT_DEFAULT = 10
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
