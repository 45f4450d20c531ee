import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './loopback.ts'

type RpcRequest = { id: number; method: string; params: unknown[] }
type RpcAnswer = { id: number; result?: unknown; error?: { code: number; message: string } }

/** How a node misbehaves. */
export type Misbehaviour = {
  /** Answers with this HTTP status and headers instead. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Never answers. */
  readonly hangs?: boolean
  /** Answers with this JSON-RPC error instead. */
  readonly error?: { code: number; message: string }
  /** Changes the result of a method; undefined leaves it. */
  readonly alter?: (method: string, result: unknown) => unknown
}

/** A node that can be made to misbehave. */
export type RpcProxy = {
  readonly url: string
  /** From now on; without argument it behaves again. */
  misbehave(how?: Misbehaviour): void
  stop(): Promise<void>
}

/** Stands before a real node and hands everything on, until it is told to misbehave. */
export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  let how: Misbehaviour = {}
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    if (how.hangs) return
    if (how.status !== undefined) {
      response.writeHead(how.status, how.headers)
      response.end('<html>no</html>')
      return
    }
    const sent = JSON.parse(text) as RpcRequest | RpcRequest[]
    const answers = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const got = (await answers.json()) as RpcAnswer | RpcAnswer[]
    const methods = new Map([sent].flat().map(({ id, method }) => [id, method]))
    const changed = [got].flat().map(item => change(item, methods.get(item.id) ?? ''))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(got) ? changed : changed[0]))
  }

  function change(item: RpcAnswer, method: string): object {
    if (how.error !== undefined) return { jsonrpc: '2.0', id: item.id, error: how.error }
    const altered = how.alter?.(method, item.result)
    return altered === undefined ? item : { ...item, result: altered }
  }

  const { origin, stop } = await listen(server)
  return {
    url: origin,
    misbehave(next = {}) {
      how = next
    },
    stop,
  }
}
