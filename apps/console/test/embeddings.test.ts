import { expect, test } from 'vitest'
import { isEmbeddings } from '../src/ui/services/embeddings.ts'

const priced = (inputPricePer1MTokensUsdc: string, outputPricePer1MTokensUsdc: string) => ({
  pricing: { inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc },
})

test('takes a model whose input alone has a price for one of embeddings', () => {
  expect(isEmbeddings(priced('0.020000', '0.000000'))).toBe(true)
  expect(isEmbeddings(priced('0.020000', '0.600000'))).toBe(false)
  expect(isEmbeddings(priced('0.000000', '0.000000'))).toBe(false)
  expect(isEmbeddings({ pricing: { amount: '0.010000' } })).toBe(false)
})
