import { cursorOf, keyOfCursor } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { listCallable } from '../services/list-callable.ts'
import { type McpTool, toolOf } from './mcp-tool-rules.ts'

/** Most tools of a page, built-in ones included. */
const TOOLS_PAGE_MAX = 100
/** A page ends after the tool with which it outgrows this, in characters of JSON: schemas may be large. */
const PAGE_LENGTH_MAX = 1_048_576

/** A page of tools; `nextCursor` is absent on the last. */
export type ToolsPage<Tool> = { readonly tools: readonly (McpTool | Tool)[]; readonly nextCursor?: string }

/**
 * A page of the tools that a credential may call: the built-in ones, then a tool for each callable service by name.
 *
 * @param query.text     free text that names or descriptions of services must hold
 * @param query.builtIns tools that stand before all others on the first page; services do not get their names
 * @throws GatewayError INVALID_REQUEST for a cursor that no list handed out
 */
export async function listTools<Tool extends { readonly name: string }>(
  deps: Pick<Deps, 'db'>,
  query: { agent: Agent; text: string; cursor: string | undefined; builtIns: readonly Tool[] },
): Promise<ToolsPage<Tool>> {
  const { agent, text, cursor, builtIns } = query
  const afterKey = keyOfCursor(cursor)
  const first = afterKey === null ? builtIns : []
  const { services, nextKey } = await listCallable(deps, {
    ...{ text, afterKey, among: agent.allowedServices },
    limit: TOOLS_PAGE_MAX - first.length,
  })

  const taken = new Set(builtIns.map(({ name }) => name))
  const tools: McpTool[] = []
  let length = 0
  for (const service of services) {
    const tool = toolOf(service, taken)
    tools.push(tool)
    length += JSON.stringify(tool).length
    if (length > PAGE_LENGTH_MAX) break
  }
  // Services are listed by agentToolName, so the name of the last one told is the key that the next page follows.
  const lastKey = tools.length < services.length ? services[tools.length - 1]?.agentToolName : nextKey
  const next = lastKey === null || lastKey === undefined ? {} : { nextCursor: cursorOf(lastKey) }
  return { tools: [...first, ...tools], ...next }
}
