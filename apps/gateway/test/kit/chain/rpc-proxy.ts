import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../network/loopback.ts'
import { answerAsOf, askAsOf, type RpcAnswer, type RpcRequest } from './lagging-node.ts'

/** Faults of a node. */
export type Misbehaviour = {
  /** Answers with this HTTP status and headers instead. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Never answers. */
  readonly hangs?: boolean
  /** Never answers an exchange with such a request. */
  readonly hangsOn?: (method: string, params: readonly unknown[]) => boolean
  /** Closes the connection. */
  readonly refuses?: boolean
  /** Lags by this number of blocks in head, blocks, logs, receipts and state. */
  readonly lagsBy?: number
  /** Answers with this JSON-RPC error instead. */
  readonly error?: { code: number; message: string }
  /** Answers a method with a JSON-RPC error if it returns one. */
  readonly refuse?: (
    method: string,
    params: readonly unknown[],
    result: unknown,
  ) => { code: number; message: string } | undefined
  /** Replaces the result of a method, unless it returns undefined. */
  readonly alter?: (method: string, result: unknown, params: readonly unknown[]) => unknown
}

/** A proxy before a node that injects faults. */
export type RpcProxy = {
  readonly url: string
  /** Injects faults from now on; without an argument, none. */
  misbehave(how?: Misbehaviour): void
  stop(): Promise<void>
}

/** Starts a proxy before a real node, without faults at first. */
export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  let how: Misbehaviour = {}
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    if (how.hangs) return
    if (how.refuses) {
      request.socket.destroy()
      return
    }
    if (how.status !== undefined) {
      response.writeHead(how.status, how.headers)
      response.end('<html>no</html>')
      return
    }
    const sent = JSON.parse(text) as RpcRequest | RpcRequest[]
    if ([sent].flat().some(({ method, params = [] }) => how.hangsOn?.(method, params))) return
    const height = how.lagsBy === undefined ? null : (await headOf(nodeUrl)) - BigInt(how.lagsBy)
    const asked = [sent].flat().map(item => (height === null ? item : askAsOf(height, item)))
    const got = await exchange<RpcAnswer[]>(nodeUrl, asked)
    const byId = new Map(asked.map(item => [item.id, item]))
    const changed = got.map(item => {
      const request = byId.get(item.id) ?? { id: item.id, method: '', params: [] }
      return change(height === null ? item : answerAsOf(height, request, item), request)
    })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(sent) ? changed : changed[0]))
  }

  function change(item: RpcAnswer, { method, params }: RpcRequest): object {
    if (how.error !== undefined) return { jsonrpc: '2.0', id: item.id, error: how.error }
    const refusal = how.refuse?.(method, params, item.result)
    if (refusal !== undefined) return { jsonrpc: '2.0', id: item.id, error: refusal }
    const altered = how.alter?.(method, item.result, params)
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

async function exchange<Answer>(nodeUrl: string, request: object): Promise<Answer> {
  const answer = await fetch(nodeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  return (await answer.json()) as Answer
}

async function headOf(nodeUrl: string): Promise<bigint> {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }
  return BigInt((await exchange<{ result: string }>(nodeUrl, request)).result)
}
