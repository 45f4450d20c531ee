import { expect, test } from 'vitest'
import { networkOf, networkV1Of } from './networks.ts'

test('names a chain as version 1 does if known, else as version 2 does', () => {
  expect(networkV1Of({ chainId: 8_453 })).toBe('base')
  expect(networkV1Of({ chainId: 84_532 })).toBe('base-sepolia')
  expect(networkV1Of({ chainId: 31_337 })).toBe('eip155:31337')
  expect(networkOf({ chainId: 8_453 })).toBe('eip155:8453')
})
