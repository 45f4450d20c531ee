/** A JSON-RPC request. */
export type RpcRequest = { id: number; method: string; params: unknown[] }

/** A JSON-RPC answer. */
export type RpcAnswer = {
  id: number
  jsonrpc?: '2.0'
  result?: unknown
  error?: { code: number; message: string }
}

type LogFilter = { fromBlock?: unknown; toBlock?: unknown }
type InBlock = { blockNumber?: string | null; number?: string | null }

/** Index of the block parameter of each method. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
}
const HEADER_NOT_FOUND = { code: -32_000, message: 'header not found' }

const hex = (height: bigint): string => `0x${height.toString(16)}`

/** Rewrites a request for a node whose head is at this height. */
export function askAsOf(height: bigint, request: RpcRequest): RpcRequest {
  const at = BLOCK_PARAMETER[request.method]
  if (request.method === 'eth_getLogs') {
    const [filter = {}] = request.params as [LogFilter?]
    const [fromBlock, toBlock] = [filter.fromBlock, filter.toBlock].map(block => heightOf(block) ?? height)
    return {
      ...request,
      params: [{ ...filter, fromBlock: hex(fromBlock ?? 0n), toBlock: hex(toBlock ?? 0n) }],
    }
  }
  if (at === undefined || heightOf(request.params[at]) !== null) return request
  return { ...request, params: request.params.toSpliced(at, 1, hex(height)) }
}

/** Rewrites the answer of a node to that of one whose head is at this height. */
export function answerAsOf(height: bigint, request: RpcRequest, answer: RpcAnswer): RpcAnswer {
  const { id } = answer
  const isLater = (of: InBlock | null) => {
    const number = of?.blockNumber ?? of?.number
    return typeof number === 'string' && BigInt(number) > height
  }
  switch (request.method) {
    case 'eth_blockNumber':
      return { ...answer, result: hex(height) }
    case 'eth_getLogs':
      return { ...answer, result: (answer.result as InBlock[]).filter(log => !isLater(log)) }
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
    case 'eth_getTransactionReceipt':
    case 'eth_getTransactionByHash':
      return isLater(answer.result as InBlock | null) ? { ...answer, result: null } : answer
    default: {
      const at = heightOf(request.params[BLOCK_PARAMETER[request.method] ?? -1])
      const isKnown = at === null || at <= height
      return isKnown ? answer : { id, jsonrpc: '2.0', error: HEADER_NOT_FOUND }
    }
  }
}

/** Returns the height in a parameter; null for a tag such as `latest`. */
function heightOf(block: unknown): bigint | null {
  return typeof block === 'string' && block.startsWith('0x') && block.length < 66 ? BigInt(block) : null
}
