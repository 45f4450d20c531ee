import { BASIS_POINTS, feeOf, formatUsdc, parseUsdc, usdc } from '@farebox/money'
import { type ModelKind, modelKindOf } from '@farebox/wire/model-kinds'
import { useConsoleConfig } from '../../../console-config.ts'
import { Card } from '../../../ui/layout/page.tsx'
import type { OfKind, Priced } from '../../../ui/services/embeddings.ts'
import { ServicePrice } from '../../../ui/services/service-price.tsx'
import { formatShare } from '../../../ui/values/shares.ts'
import { isMetered, type Manifest, readAt, textAt } from './manifest.ts'

/** A preview of the service's card in the market. */
export function MarketPreview({ manifest }: { manifest: Manifest }) {
  const name = textAt(manifest, 'serviceName').trim()
  const pricing = draftedPrice(manifest)
  return (
    <Card title="In the market">
      <p className={name === '' ? 'font-medium text-faint' : 'font-medium break-words'}>
        {name === '' ? 'Your service' : name}
      </p>
      <p className="mt-1 line-clamp-3 min-h-5 text-sm break-words text-muted">
        {textAt(manifest, 'summary') || 'The summary of your service.'}
      </p>
      <p className="mt-3 min-h-10 text-sm">
        {pricing === null ? (
          <span className="text-faint">No price yet</span>
        ) : (
          <ServicePrice pricing={pricing} modelKind={draftedKind(manifest)} />
        )}
      </p>
    </Card>
  )
}

const AMOUNT = /^\d{1,12}(?:\.\d{0,6})?$/

/** Returns the price that was typed, or null until it is complete. */
export function draftedPrice(manifest: Manifest): Priced['pricing'] | null {
  const read = (path: string) => {
    const text = textAt(manifest, path) || textAt(manifest, `pricing.${path}`)
    return AMOUNT.test(text) ? text.replace(/\.$/, '') : null
  }
  if (!isMetered(manifest)) {
    const amount = read('pricing.amount')
    return amount === null ? null : { amount }
  }
  const inputPricePer1MTokensUsdc = read('inputPricePer1MTokensUsdc')
  const outputPricePer1MTokensUsdc = read('outputPricePer1MTokensUsdc')
  if (inputPricePer1MTokensUsdc === null || outputPricePer1MTokensUsdc === null) return null
  return { inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc }
}

/** Returns the kind of a model whose targets were typed, or undefined for other services. */
export function draftedKind(manifest: Manifest): ModelKind | undefined {
  if (!isMetered(manifest)) return undefined
  const targets = readAt(manifest, 'invoke.targets')
  const urls = (Array.isArray(targets) ? targets : []).map(target => ({
    url: String(readAt(target, 'url') ?? ''),
  }))
  return modelKindOf(textAt(manifest, 'llmDialect') === 'anthropic' ? 'anthropic' : 'openai', urls)
}

/** The provider's earnings from a price, after the fee of this gateway. */
export function Earned({ pricing, modelKind }: Priced & OfKind) {
  const fee = useConsoleConfig()?.platformFeeBps
  if (fee === undefined) return null
  const earned = (price: string) => {
    const charge = parseUsdc(price)
    return formatUsdc(usdc(charge - feeOf(charge, fee)))
  }
  const shown =
    'amount' in pricing
      ? { amount: earned(pricing.amount) }
      : {
          inputPricePer1MTokensUsdc: earned(pricing.inputPricePer1MTokensUsdc),
          outputPricePer1MTokensUsdc: earned(pricing.outputPricePer1MTokensUsdc),
        }
  return (
    <>
      <ServicePrice pricing={shown} modelKind={modelKind} />
      <span className="block text-sm text-muted">
        {fee === 0
          ? 'This gateway charges no fee.'
          : `After the fee of ${formatShare(fee / Number(BASIS_POINTS))}.`}
      </span>
    </>
  )
}
