import type { Address, Hex, TransactionReceipt } from 'viem'
import {
  getBlock,
  getBlockNumber,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
} from 'viem/actions'
import { wallet } from './use-wallet.ts'

// Reads of the chain's time and transactions. All throw WalletError.

/**
 * Returns the time of the latest block, in Unix seconds. The chain judges deadlines by it, and the local clock may be
 * wrong.
 */
export function readChainTime(): Promise<bigint> {
  return wallet.ask(async client => (await getBlock(client)).timestamp)
}

/** Returns the number of the latest block, uncached. */
export function readBlockNumber(): Promise<bigint> {
  return wallet.ask(client => getBlockNumber(client, { cacheTime: 0 }))
}

/** The state of a transaction. */
export type Seen =
  | { readonly kind: 'mined'; readonly receipt: TransactionReceipt }
  | { readonly kind: 'pending'; readonly nonce: number }
  /** The chain does not know it. `isPast`: another transaction has used its nonce. */
  | { readonly kind: 'unknown'; readonly isPast: boolean }

/**
 * Looks up a transaction.
 *
 * @param sent.nonce its nonce, if known
 */
export function findTransaction(sent: {
  hash: Hex
  owner: Address
  nonce: number | undefined
}): Promise<Seen> {
  const { hash, owner, nonce } = sent
  return wallet.ask(async client => {
    const receipt = await orNull(getTransactionReceipt(client, { hash }))
    if (receipt !== null) return { kind: 'mined', receipt }
    const transaction = await orNull(getTransaction(client, { hash }))
    if (transaction !== null) return { kind: 'pending', nonce: transaction.nonce }
    const next = await getTransactionCount(client, { address: owner, blockTag: 'latest' })
    return { kind: 'unknown', isPast: nonce !== undefined && next > nonce }
  })
}

/** Returns null if the transaction was not found. */
async function orNull<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && /^Transaction(?:Receipt)?NotFoundError$/.test(error.name)) return null
    throw error
  }
}
