import { expect, test } from 'vitest'
import { costOfTokens } from './person.ts'

test('prices tokens per million and rounds up once, over input and output together', () => {
  const price = { input: 1_234_567n, output: 6_000_001n }
  const cost = (inputTokens: number, outputTokens: number) =>
    costOfTokens({ inputTokens, outputTokens }, price)
  expect(cost(0, 0)).toBe(0n)
  // 1.234567 and 6.000001 micro-USDC, as one sum: rounded up one by one they would cost 9.
  expect(cost(1, 1)).toBe(8n)
  expect(cost(1_000_000, 1_000_000)).toBe(7_234_568n)
})
