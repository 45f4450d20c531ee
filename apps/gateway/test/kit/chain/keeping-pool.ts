import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Hex, keccak256, numberToHex, parseTransaction } from 'viem'
import { listen } from '../network/loopback.ts'
import type { RpcRequest } from './lagging-node.ts'
import type { TestChain } from './test-chain.ts'

/** Least rise of both fees of a transaction that replaces another, in percent, as at geth. */
const RISE_PERCENT = 110n

type Kept = { readonly hash: Hex; readonly raw: Hex; readonly most: bigint; readonly tip: bigint }

/**
 * Starts a node whose pool keeps the transactions of one sender that offer less than the base fee, as public nodes do;
 * anvil drops them. Those behind one with a lower nonce wait for it.
 */
export async function startKeepingPool(chain: TestChain, sender: Hex) {
  const pool = new Map<number, Kept>()
  let isClosed = false
  const { client } = chain
  const mined = () => client.getTransactionCount({ address: sender })

  /** Passes on what can be mined. */
  async function passOn(): Promise<void> {
    const { baseFeePerGas } = await client.getBlock()
    for (let nonce = await mined(); !isClosed; nonce += 1) {
      const kept = pool.get(nonce)
      if (kept === undefined || kept.most < (baseFeePerGas ?? 0n)) return
      pool.delete(nonce)
      await client.sendRawTransaction({ serializedTransaction: kept.raw })
    }
  }

  async function take(raw: Hex): Promise<object> {
    const { nonce = 0, maxFeePerGas: most = 0n, maxPriorityFeePerGas: tip = 0n } = parseTransaction(raw)
    const before = pool.get(nonce)
    const isRise = (now: bigint, then = 0n) => now * 100n >= then * RISE_PERCENT
    if (nonce < (await mined())) return { error: { code: -32_000, message: 'nonce too low' } }
    if (!isRise(most, before?.most) || !isRise(tip, before?.tip))
      return { error: { code: -32_000, message: 'replacement transaction underpriced' } }
    const hash = keccak256(raw)
    pool.set(nonce, { hash, raw, most, tip })
    await passOn()
    return { result: hash }
  }

  async function answerOf({ method, params = [] }: Partial<RpcRequest>): Promise<object | null> {
    const [first, second] = params
    if (method === 'eth_sendRawTransaction') return take(first as Hex)
    if (method === 'eth_getTransactionCount' && second === 'pending') {
      let nonce = await mined()
      while (pool.has(nonce)) nonce += 1
      return { result: numberToHex(nonce) }
    }
    if (method !== 'eth_getTransactionByHash') return null
    const [found] = [...pool].filter(([, { hash }]) => hash === first)
    if (found === undefined) return null
    const [nonce, { hash, most, tip }] = found
    const fees = { maxFeePerGas: numberToHex(most), maxPriorityFeePerGas: numberToHex(tip) }
    const place = { blockHash: null, blockNumber: null, transactionIndex: null }
    return { result: { ...fees, ...place, hash, from: sender, nonce: numberToHex(nonce), type: '0x2' } }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const asked = JSON.parse(text) as RpcRequest | RpcRequest[]
    const own = Array.isArray(asked) ? null : await answerOf(asked)
    response.writeHead(200, { 'content-type': 'application/json' })
    if (own !== null) {
      response.end(JSON.stringify(Object.assign({ jsonrpc: '2.0', id: (asked as RpcRequest).id }, own)))
      return
    }
    const headers = { 'content-type': 'application/json' }
    const got = await fetch(chain.rpcUrl, { method: 'POST', headers, body: text })
    response.end(await got.text())
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const { origin, stop } = await listen(server)
  return {
    url: origin,
    /** Number of transactions in the pool. */
    size: () => pool.size,
    /** Keeps every transaction, as between two blocks. */
    close() {
      isClosed = true
    },
    /** Passes transactions on again. */
    async open() {
      isClosed = false
      await passOn()
    },
    stop,
  }
}
