import { expect, test } from 'vitest'
import { perToken } from './list-models.ts'

test.each([
  ['0.150000', '0.00000015'],
  ['3', '0.000003'],
  ['0.000001', '0.000000000001'],
  ['10000.000000', '0.01'],
  ['0', '0'],
])('%s USDC per million tokens is exactly %s USD per token', (per1M, price) => {
  expect(perToken(per1M)).toBe(price)
})
