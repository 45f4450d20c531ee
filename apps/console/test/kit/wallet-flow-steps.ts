import type { Page } from 'playwright-core'
import { createWalletClient, type Hex, http } from 'viem'
import type { TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import { FEES } from '../../../gateway/test/kit/chain/vault-owner.ts'
import { until } from '../../../gateway/test/kit/until.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'

// Steps of deposits and withdrawals, on a chain whose blocks the test mines.

/** Enters an amount and submits it. */
export async function beginWith(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Amount').fill(amount)
  await page.getByLabel('Amount').press('Enter')
}

/**
 * Returns the stored hash once the page waits for a block and knows the transaction's nonce. Without the nonce it
 * cannot recognise a replacement. `key` is the storage key.
 */
export async function sentHash(page: Page, key: string): Promise<Hex> {
  await page.getByText('not in a block yet').waitFor()
  const kept = async () =>
    JSON.parse(await page.evaluate(`localStorage.getItem('${key}')`)) as { hash: Hex; nonce?: number }
  await until('the page has seen the number', async () => (await kept()).nonce !== undefined)
  return (await kept()).hash
}

/** Replaces a pending transaction, as wallets do to speed it up (`same`) or cancel it (`nothing`). */
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
