import { Amount } from '../values/amount.tsx'
import { formatTime } from '../values/format-time.ts'
import { isEmbeddings, type OfKind, type Priced } from './embeddings.ts'

/** The price of a call, or of a million tokens in and out; embeddings have no output. */
export function ServicePrice({ pricing, modelKind }: Priced & OfKind) {
  if ('amount' in pricing) {
    if (Number(pricing.amount) === 0) return <span className="font-medium">Free</span>
    return (
      <span className="whitespace-nowrap">
        <Amount usdc={pricing.amount} className="font-medium" /> <span className="text-faint">/ call</span>
      </span>
    )
  }
  return (
    <PriceLines
      lines={[
        ['/ 1M in', pricing.inputPricePer1MTokensUsdc],
        ...(isEmbeddings({ modelKind }) && Number(pricing.outputPricePer1MTokensUsdc) === 0
          ? []
          : [['/ 1M out', pricing.outputPricePer1MTokensUsdc] as const]),
      ]}
    />
  )
}

function PriceLines({ lines }: { lines: readonly (readonly [label: string, usdc: string])[] }) {
  return (
    <span className="inline-grid grid-cols-[auto_auto] gap-x-1 whitespace-nowrap">
      {lines.map(([label, usdc]) => (
        <span key={label} className="contents">
          <Amount usdc={usdc} className="text-right font-medium" />{' '}
          <span className="text-left text-faint">{label}</span>
        </span>
      ))}
    </span>
  )
}

/** Prices of cached input tokens, of models that have their own. */
type CachePriced = {
  readonly cacheReadPricePer1M: string | null
  readonly cacheWritePricePer1M: string | null
}

/** Price of a million input tokens read from or written to a cache; hidden if it equals the input price. */
export function CachePrices({ cacheReadPricePer1M: read, cacheWritePricePer1M: written }: CachePriced) {
  const lines = [
    ['/ 1M cache read', read],
    ['/ 1M cache write', written],
  ] as const
  const own = lines.flatMap(([label, usdc]) => (usdc === null ? [] : [[label, usdc] as const]))
  if (own.length === 0) return null
  return (
    <p className="text-sm">
      <PriceLines lines={own} />
    </p>
  )
}

/** A price increase that does not apply to everybody yet. */
type Scheduled = {
  readonly scheduledPricing?: {
    readonly effectiveAt: string
    readonly amountUntilThen?: string
    readonly inputPricePer1MTokensUsdc?: string
    readonly outputPricePer1MTokensUsdc?: string
  }
}

/** The announced price and its date; nothing while no increase is scheduled. */
export function ScheduledPrice({ scheduledPricing }: Scheduled) {
  if (scheduledPricing === undefined) return null
  const { effectiveAt, amountUntilThen, inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc } =
    scheduledPricing
  return (
    <p className="mt-2 text-sm text-muted">
      {amountUntilThen === undefined ? (
        <>
          From {formatTime(effectiveAt)}: <Amount usdc={inputPricePer1MTokensUsdc ?? '0'} /> / 1M in,{' '}
          <Amount usdc={outputPricePer1MTokensUsdc ?? '0'} /> / 1M out. Current prices apply until then.
        </>
      ) : (
        <>
          MCP calls, which assert no price, cost <Amount usdc={amountUntilThen} /> until{' '}
          {formatTime(effectiveAt)}.
        </>
      )}
    </p>
  )
}
