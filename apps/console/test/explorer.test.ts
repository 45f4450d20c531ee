import { arbitrum, avalanche, base, baseSepolia, mainnet, optimism, polygon, sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { EXPLORERS, explorerUrl } from '../src/ui/values/explorer.ts'

const ADDRESS = `0x${'aB'.repeat(20)}`
const HASH = `0x${'0c'.repeat(32)}`

test.each([
  [8453, ADDRESS, `https://basescan.org/address/${ADDRESS}`],
  [1, HASH, `https://etherscan.io/tx/${HASH}`],
  [31_337, ADDRESS, null],
  [null, HASH, null],
  [8453, 'inv_01ARZ3NDEKTSV4RRFFQ69G5FAV', null],
  [8453, `${ADDRESS}?`, null],
])('on chain %s the explorer URL of %s is %s', (chainId, value, expected) => {
  expect(explorerUrl(chainId, value)).toBe(expected)
})

test('uses the explorers that viem lists for these chains', () => {
  const chains = [arbitrum, avalanche, base, baseSepolia, mainnet, optimism, polygon, sepolia]
  expect(EXPLORERS).toEqual(
    Object.fromEntries(chains.map(({ id, blockExplorers }) => [id, blockExplorers.default.url])),
  )
})
