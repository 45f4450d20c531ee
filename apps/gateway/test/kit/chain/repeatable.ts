import { type Address, type Hex, parseEther, parseGwei } from 'viem'
import type { TestChain } from './test-chain.ts'

const GAS = 1_000_000n
const GAS_PRICE = parseGwei('5')
/** Gas price of transactions that are to be mined before a repeatable one in the same block. */
export const HIGHER_GAS_PRICE = parseGwei('50')

/**
 * Returns a function that sends a transaction which stays the same, so that it can be mined again after a reorganisation.
 * Mines a block before.
 */
export async function repeatable(
  { client, mine }: TestChain,
  { from, to, data }: { from: Address; to: Address; data: Hex },
): Promise<() => Promise<Hex>> {
  await client.setBalance({ address: from, value: parseEther('1000') })
  await mine(1)
  const nonce = await client.getTransactionCount({ address: from })
  return () => client.sendTransaction({ account: from, to, data, nonce, gas: GAS, gasPrice: GAS_PRICE })
}
