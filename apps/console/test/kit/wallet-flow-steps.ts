import { fareboxVaultAbi } from '@farebox/vault'
import type { Page } from 'playwright-core'
import { createWalletClient, encodeFunctionData, type Hex, http, parseGwei } from 'viem'
import { firstAccount } from '../../../gateway/src/dev/deploy.ts'
import type { TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import { until } from '../../../gateway/test/kit/until.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'

// Steps of deposits and withdrawals, on a chain whose blocks are made by the test.

/** Above those of any wallet. */
const FEES = { maxFeePerGas: parseGwei('50'), maxPriorityFeePerGas: parseGwei('20') }

/** Types an amount, and begins. */
export async function beginWith(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Amount').fill(amount)
  await page.getByLabel('Amount').press('Enter')
}

/**
 * The hash that the page has written down, once it waits for a block and has seen the transaction's number on the chain:
 * without the number it cannot tell one that was replaced from one that is on its way. `key` is where.
 */
export async function sentHash(page: Page, key: string): Promise<Hex> {
  await page.getByText('not in a block yet').waitFor()
  const kept = async () =>
    JSON.parse(await page.evaluate(`localStorage.getItem('${key}')`)) as { hash: Hex; nonce?: number }
  await until('the page has seen the number', async () => (await kept()).nonce !== undefined)
  return (await kept()).hash
}

/** Puts another transaction in the place of one that waits, as wallets do: the same at a better price, or nothing. */
export async function replaceSent(
  chain: TestChain,
  sent: { account: ReturnType<typeof newWallet>; hash: Hex; by: 'same' | 'nothing' },
): Promise<void> {
  const { account, hash, by } = sent
  const node = createWalletClient({ account, transport: http(chain.rpcUrl) })
  const { nonce, to, input } = await chain.client.getTransaction({ hash })
  const other = by === 'same' ? { to, data: input } : { to: account.address, value: 0n }
  await node.sendTransaction({ chain: null, nonce, gas: 500_000n, ...FEES, ...other })
}

/** Has the owner of the vault send something, before whatever waits for a block. */
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
