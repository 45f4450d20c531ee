import { fareboxVaultAbi } from '@farebox/vault'
import { encodeFunctionData, parseGwei } from 'viem'
import { firstAccount } from '../../../src/dev/deploy.ts'
import type { TestChain } from './test-chain.ts'

/** Higher than those of any wallet. */
export const FEES = { maxFeePerGas: parseGwei('50'), maxPriorityFeePerGas: parseGwei('20') }

/** Sends a transaction of the vault's owner, with fees that put it before pending ones. */
export async function sendToVault(chain: TestChain, functionName: 'pause' | 'unpause'): Promise<void> {
  const { client, contracts } = chain
  await client.sendTransaction({
    account: await firstAccount(client),
    to: contracts.vault,
    gas: 200_000n,
    ...FEES,
    data: encodeFunctionData({ abi: fareboxVaultAbi, functionName }),
  })
}
