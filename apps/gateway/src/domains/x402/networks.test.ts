import { expect, test } from 'vitest'
import { networkOf, networkV1Of } from './networks.ts'

test('a chain has its name in version 1 if that knows it, else that of version 2', () => {
  expect(networkV1Of({ chainId: 8_453 })).toBe('base')
  expect(networkV1Of({ chainId: 84_532 })).toBe('base-sepolia')
  expect(networkV1Of({ chainId: 31_337 })).toBe('eip155:31337')
  expect(networkOf({ chainId: 8_453 })).toBe('eip155:8453')
})
