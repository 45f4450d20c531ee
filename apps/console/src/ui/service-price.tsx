import { Amount } from './amount.tsx'

/** How a service is paid, as every answer of the gateway tells it. */
export type Priced = {
  readonly pricing:
    | { readonly amount: string }
    | { readonly inputPricePer1MTokensUsdc: string; readonly outputPricePer1MTokensUsdc: string }
}

/** What a call costs, or a million tokens in and out. */
export function ServicePrice({ pricing }: Priced) {
  if ('amount' in pricing) {
    if (Number(pricing.amount) === 0) return <span className="font-medium">Free</span>
    return (
      <span className="whitespace-nowrap">
        <Amount usdc={pricing.amount} className="font-medium" /> <span className="text-faint">/ call</span>
      </span>
    )
  }
  return (
    <span className="inline-flex flex-col whitespace-nowrap">
      <span>
        <Amount usdc={pricing.inputPricePer1MTokensUsdc} className="font-medium" />{' '}
        <span className="text-faint">/ 1M in</span>
      </span>
      <span>
        <Amount usdc={pricing.outputPricePer1MTokensUsdc} className="font-medium" />{' '}
        <span className="text-faint">/ 1M out</span>
      </span>
    </span>
  )
}
