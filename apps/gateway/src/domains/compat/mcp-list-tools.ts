import { cursorOf, keyOfCursor } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { readPaidServices } from '../invocation/records/read-paid-services.ts'
import type { Discovery } from '../services/discovery/create-discovery.ts'
import { findServices } from '../services/discovery/search-services.ts'
import { type CallableEntry, listCallable, readCallableEntries } from '../services/list-callable.ts'
import { type McpTool, toolOf } from './mcp-tool-rules.ts'

/** Maximum number of tools per page of an allow-list, including built-in ones. */
const TOOLS_PAGE_MAX = 100
/**
 * Maximum number of tools selected without an allow-list, including built-in ones; models read all tools they are
 * given.
 */
const TOOLS_CHOSEN_MAX = 50
/** Maximum size of a page in characters of JSON, after which no tool is added; schemas may be large. */
const PAGE_LENGTH_MAX = 1_048_576

type ListDeps = Pick<Deps, 'db'> & { readonly discovery: Discovery }

/** A page of tools; `nextCursor` is absent on the last. */
export type ToolsPage<Tool> = { readonly tools: readonly (McpTool | Tool)[]; readonly nextCursor?: string }

/**
 * Returns the tools for a credential: built-in ones, then those of its allow-list, by name and in pages. Without an
 * allow-list, tools that its owner has paid for before, then the highest ranked ones; with a text, the best matches.
 * The name of a service alone therefore does not get it onto any list. Unlisted tools can be found and called.
 *
 * @param query.text     free text to search for; empty: none
 * @param query.builtIns tools at the start of the first page; services cannot have their names
 * @throws GatewayError INVALID_REQUEST for an invalid cursor; UNAVAILABLE
 */
export async function listTools<Tool extends { readonly name: string }>(
  deps: ListDeps,
  query: { agent: Agent; text: string; cursor: string | undefined; builtIns: readonly Tool[] },
): Promise<ToolsPage<Tool>> {
  const { agent, cursor, builtIns } = query
  const text = query.text.trim()
  const afterKey = keyOfCursor(cursor, /^[a-z0-9_-]{1,64}$/)
  const first = afterKey === null ? builtIns : []
  const taken = new Set(builtIns.map(({ name }) => name))
  if (agent.allowedServices === null || text !== '') {
    // Selected tools fit on one page.
    if (afterKey !== null) return { tools: [] }
    const chosen = await chooseServices(deps, { agent, text, limit: TOOLS_CHOSEN_MAX - builtIns.length })
    return { tools: [...first, ...toolsOf(chosen, taken)] }
  }
  const { services, nextKey } = await listCallable(deps, {
    afterKey,
    among: agent.allowedServices,
    limit: TOOLS_PAGE_MAX - first.length,
  })
  const tools = toolsOf(services, taken)
  // Services are sorted by agentToolName, so the last name on the page is the key of the next one.
  const lastKey = tools.length < services.length ? services[tools.length - 1]?.agentToolName : nextKey
  const next = lastKey === null || lastKey === undefined ? {} : { nextCursor: cursorOf(lastKey) }
  return { tools: [...first, ...tools], ...next }
}

async function chooseServices(
  { db, discovery: { catalogue } }: ListDeps,
  { agent, text, limit }: { agent: Agent; text: string; limit: number },
): Promise<CallableEntry[]> {
  const { owner, allowedServices: among } = agent
  const [paid, { ids: ranked }] = await Promise.all([
    text === '' ? readPaidServices(db, { owner, limit }) : [],
    findServices({ db, catalogue }, { text, among }),
  ])
  const ids = [...new Set([...paid, ...ranked.slice(0, limit)])]
  return (await readCallableEntries({ db }, ids)).slice(0, limit)
}

/** Returns as many tools as fit on a page. */
function toolsOf(services: readonly CallableEntry[], taken: ReadonlySet<string>): McpTool[] {
  const tools: McpTool[] = []
  let length = 0
  for (const service of services) {
    const tool = toolOf(service, taken)
    tools.push(tool)
    length += JSON.stringify(tool).length
    if (length > PAGE_LENGTH_MAX) break
  }
  return tools
}
