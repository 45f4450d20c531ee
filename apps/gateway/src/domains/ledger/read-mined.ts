import type { Hex } from 'viem'
import type { Block, Chain, ChainFacts, Receipt } from '../../ports.ts'

/** A mined transaction. */
export type Mined = {
  readonly receipt: Receipt
  /** True if the block of the receipt is the chain's block at its height. */
  readonly isCanonical: boolean
  /** Confirmations of this block, including the block itself; 0 unless it is on the chain. */
  readonly confirmations: number
}

/**
 * Reads the state of a transaction. Reads the block last, which shows whether the rest is still valid.
 *
 * @returns null if the node does not have the transaction, or it is not mined
 * @throws GatewayError UNAVAILABLE when the chain is unreachable
 */
export async function readMined(
  chain: Pick<Chain, 'head' | 'receipt' | 'block'>,
  txHash: Hex,
): Promise<Mined | null> {
  const [head, receipt] = await Promise.all([chain.head(), chain.receipt(txHash)])
  if (receipt === null) return null
  const block = await chain.block(receipt.blockNumber)
  const isCanonical = block?.hash === receipt.blockHash
  return { receipt, isCanonical, confirmations: isCanonical ? confirmationsAt(head, receipt.blockNumber) : 0 }
}

/** Returns the number of confirmations of a block below a head, including the block itself; 0 above it. */
export function confirmationsAt(head: Block, blockNumber: bigint): number {
  return head.number < blockNumber ? 0 : Number(head.number - blockNumber + 1n)
}

/** Returns the height of the newest block with the required confirmations; negative if there is none yet. */
export function confirmedHeight(head: Block, facts: Pick<ChainFacts, 'requiredConfirmations'>): bigint {
  return head.number - BigInt(facts.requiredConfirmations) + 1n
}
