import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult, ListToolsResult, Tool } from '@modelcontextprotocol/sdk/types.js'

/** Maximum number of pages of a list. */
const PAGES_MAX = 50

/** Connects a client of the MCP SDK with a credential as its bearer token. */
export async function connectMcp(
  on: { readonly url: string },
  credential: { readonly token: string },
  path = '/mcp',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const headers = { authorization: `Bearer ${credential.token}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(on.url + path), { requestInit: { headers } }),
  )
  return client
}

/** Calls a tool; returns its result. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  meta?: Record<string, unknown>,
): Promise<CallToolResult> {
  const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) }
  return (await client.callTool(params)) as CallToolResult
}

/** Returns the text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map(part => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')
}

/** Reads every page of a list. */
export async function listPages(
  client: Client,
  meta?: Record<string, unknown>,
): Promise<readonly ListToolsResult[]> {
  const pages: ListToolsResult[] = []
  let cursor: string | undefined
  do {
    const page = await client.listTools({
      ...(cursor !== undefined && { cursor }),
      ...(meta !== undefined && { _meta: meta }),
    })
    pages.push(page)
    cursor = page.nextCursor
  } while (cursor !== undefined && pages.length < PAGES_MAX)
  return pages
}

/** Returns the names of tools. */
export const namesOf = (tools: readonly Tool[]): string[] => tools.map(tool => tool.name)

/** An answer to JSON-RPC over plain HTTP. */
export type RpcAnswer = {
  readonly status: number
  readonly headers: Headers
  /** Null if it was empty. */
  readonly body: Record<string, unknown> | null
}

/** Sends a POST to the MCP endpoint without the SDK; a string as `body` is sent unchanged. */
export async function postMcp(
  on: { readonly url: string },
  body: unknown,
  headers: Record<string, string>,
): Promise<RpcAnswer> {
  const answer = await fetch(`${on.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
}
