import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult, ListToolsResult, Tool } from '@modelcontextprotocol/sdk/types.js'

/** Most pages that a list is followed for. */
const PAGES_MAX = 50

/** A client of the MCP SDK, connected, with a credential as its bearer token. */
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

/** Calls a tool; its result as this version of the protocol has it. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  meta?: Record<string, unknown>,
): Promise<CallToolResult> {
  const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) }
  return (await client.callTool(params)) as CallToolResult
}

/** The text that a model reads of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map(part => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')
}

/** Every page of a list. */
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

/** Names of tools, in order. */
export const namesOf = (tools: readonly Tool[]): string[] => tools.map(tool => tool.name)

/** An answer to plain JSON-RPC. */
export type RpcAnswer = {
  readonly status: number
  readonly headers: Headers
  /** Null when there was none. */
  readonly body: Record<string, unknown> | null
}

/** One POST of a client that is written by hand; `body` is sent as it is when it is a text. */
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
