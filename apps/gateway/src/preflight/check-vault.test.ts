import { usdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../test/kit/chain/test-chain.ts'
import { newWallet } from '../../test/kit/world/wallets.ts'
import { checkVault } from './check-vault.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.stop())

/** Judges a first block on a chain whose head is so many blocks further. */
async function judge(FOLLOWER_START_BLOCK: number, further = 0n) {
  const { adapter } = chain
  const head = async () => {
    const { number, ...block } = await adapter.head()
    return { ...block, number: number + further }
  }
  const settings = {
    CHAIN_RPC_URL: chain.rpcUrl,
    WITHDRAW_AUTO_APPROVE_TOTAL_USDC: '1',
    FOLLOWER_START_BLOCK,
  }
  const checks = checkVault({ ...adapter, head }, settings)
  return checks.find(({ name }) => name === 'first block of the follower')?.judge()
}

test('accepts a first block before the vault, and warns when millions of blocks are read', async () => {
  expect(await judge(0)).toMatchObject({ status: 'ok' })
  expect(await judge(0, 2_000_001n)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('a first start reads all between before it credits'),
  })
})

test('warns about a first block after a deposit or past the head', async () => {
  await chain.deposit(newWallet().address, usdc(1_000_000n))
  const head = Number(await chain.client.getBlockNumber())
  expect(await judge(head)).toMatchObject({ status: 'ok' })
  await chain.mine()
  expect(await judge(head + 1)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('1 deposits were made before, and are credited by no first start'),
  })
  expect(await judge(head + 100)).toMatchObject({
    status: 'warning',
    advice: 'Set it to the block that deployed the vault.',
  })
})
