import { usdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { newWallet } from '../world/wallets.ts'
import { startTestChain } from './test-chain.ts'

const ROUNDS = 25
const OWNERS = 4

test('deposits made together are all mined, none of them twice', async () => {
  const chain = await startTestChain()
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const owners = Array.from({ length: OWNERS }, () => newWallet().address)
      const hashes = await Promise.all(owners.map(owner => chain.deposit(owner, usdc(1n))))
      expect(new Set(hashes).size).toBe(OWNERS)
    }
    expect(await chain.usdcOf(chain.contracts.vault)).toBe(BigInt(ROUNDS * OWNERS))
  } finally {
    await chain.stop()
  }
})
