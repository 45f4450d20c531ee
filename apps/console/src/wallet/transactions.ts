import type { Address, Hex, TransactionReceipt } from 'viem'
import {
  getBlock,
  getBlockNumber,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
} from 'viem/actions'
import { wallet } from './use-wallet.ts'

// What pages ask the chain about time and transactions. All fail with a WalletError.

/** What time the chain has, in Unix seconds: it judges deadlines, and the clock of this machine may be wrong. */
export function readChainTime(): Promise<bigint> {
  return wallet.ask(async client => (await getBlock(client)).timestamp)
}

/** The newest block. */
export function readBlockNumber(): Promise<bigint> {
  return wallet.ask(client => getBlockNumber(client, { cacheTime: 0 }))
}

/** What the chain shows of a transaction. */
export type Seen =
  | { readonly kind: 'mined'; readonly receipt: TransactionReceipt }
  | { readonly kind: 'pending'; readonly nonce: number }
  /** The chain does not know it. `isPast`: another transaction has taken its number. */
  | { readonly kind: 'unknown'; readonly isPast: boolean }

/**
 * Looks for a transaction.
 *
 * @param sent.nonce its number among those of the wallet, once it is known
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

/** Null instead of an error when the chain does not know what was asked for. */
async function orNull<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && /^Transaction(?:Receipt)?NotFoundError$/.test(error.name)) return null
    throw error
  }
}
