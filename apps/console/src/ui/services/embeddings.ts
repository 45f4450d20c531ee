import type { Priced } from './service-price.tsx'

/**
 * Returns true for a model that has no output to charge, as embeddings do not: only its input has a price. Nothing else
 * in the market tells them from other models.
 */
export function isEmbeddings({ pricing }: Priced): boolean {
  return (
    'inputPricePer1MTokensUsdc' in pricing &&
    Number(pricing.inputPricePer1MTokensUsdc) > 0 &&
    Number(pricing.outputPricePer1MTokensUsdc) === 0
  )
}
