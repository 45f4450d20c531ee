import { type Hex, numberToHex } from 'viem'
import type { Misbehaviour } from './rpc-proxy.ts'

/** An event as a node sends it. */
type Log = { readonly transactionHash: Hex; readonly logIndex: Hex; readonly data: Hex }
type Receipt = { readonly logs: readonly Log[] } | null

/** A receipt as a node sends it. */
export type RawReceipt = { readonly transactionHash: Hex; readonly blockNumber: Hex; readonly blockHash: Hex }

/** Faults of a node whose answers are well-formed but wrong. */
export const lies = {
  /** Every range of blocks is empty. */
  noLogs: (): Misbehaviour => ({ alter: method => (method === 'eth_getLogs' ? [] : undefined) }),
  /** The head is known but blocks above a height are not, as with two nodes behind one address, one of them lagging. */
  noBlockAbove: (height: bigint): Misbehaviour => ({
    alter: (method, _, [tag]) =>
      method === 'eth_getBlockByNumber' && tag !== 'latest' && BigInt(tag as Hex) > height ? null : undefined,
  }),
  /** No transaction has a receipt. */
  noReceipts: (): Misbehaviour => ({
    alter: method => (method === 'eth_getTransactionReceipt' ? null : undefined),
  }),
  /** Receipts and their events name another block of the same height, as before a reorganisation. */
  receiptsOf: (blockHash: Hex): Misbehaviour => ({
    alter(method, result) {
      const receipt = method === 'eth_getTransactionReceipt' ? (result as Receipt) : null
      if (receipt === null) return undefined
      return { ...receipt, blockHash, logs: receipt.logs.map(log => ({ ...log, blockHash })) }
    },
  }),
  /** Returns the receipt of a transaction that is not in the chain. */
  receipt: (shown: RawReceipt): Misbehaviour => ({
    alter: (method, _, [hash]) =>
      method === 'eth_getTransactionReceipt' && hash === shown.transactionHash ? shown : undefined,
  }),
  /** Returns such a receipt, and its block instead of the one at its height. */
  receiptAndBlock: (shown: RawReceipt): Misbehaviour => ({
    alter(method, result, [key]) {
      if (method === 'eth_getTransactionReceipt' && key === shown.transactionHash) return shown
      return method === 'eth_getBlockByNumber' && key === shown.blockNumber
        ? { ...(result as object), hash: shown.blockHash }
        : undefined
    },
  }),
  /** Contracts return nothing. */
  noState: (): Misbehaviour => ({ alter: method => (method === 'eth_call' ? '0x' : undefined) }),
  /** Lists of events omit one transaction; its receipt has them. */
  without: (txHash: Hex): Misbehaviour => ({
    alter: (method, result) =>
      method === 'eth_getLogs' ? (result as Log[]).filter(log => log.transactionHash !== txHash) : undefined,
  }),
  /** Events of a transaction have another amount, the last word of their data, also in receipts. */
  amount: (txHash: Hex, amount: bigint): Misbehaviour => ({
    alter(method, result) {
      const report = (log: Log): Log =>
        log.transactionHash === txHash ? { ...log, data: withLastWord(log.data, amount) } : log
      if (method === 'eth_getLogs') return (result as Log[]).map(report)
      const receipt = method === 'eth_getTransactionReceipt' ? (result as Receipt) : null
      return receipt === null ? undefined : { ...receipt, logs: receipt.logs.map(report) }
    },
  }),
  /** Events of a transaction are listed twice, with different log indices. */
  twice: (txHash: Hex): Misbehaviour => ({
    alter: (method, result) =>
      method === 'eth_getLogs'
        ? (result as Log[]).flatMap(log =>
            log.transactionHash === txHash
              ? [log, { ...log, logIndex: numberToHex(Number(log.logIndex) + 100) }]
              : [log],
          )
        : undefined,
  }),
  /** The node reports another chain id. */
  chain: (id: number): Misbehaviour => ({
    alter: method => (method === 'eth_chainId' ? numberToHex(id) : undefined),
  }),
}

const WORD_DIGITS = 64

function withLastWord(data: Hex, value: bigint): Hex {
  return `${data.slice(0, -WORD_DIGITS)}${numberToHex(value, { size: 32 }).slice(2)}` as Hex
}
