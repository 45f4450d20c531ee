import { formatUsdc, parseUsdc, type Usdc } from '@farebox/money'
import { useState } from 'react'
import { useConsoleConfig } from '../../../console-config.ts'
import type { OfKind, Priced } from '../../../ui/services/embeddings.ts'
import { CachePrices, ScheduledPrice, ServicePrice } from '../../../ui/services/service-price.tsx'
import type { Service } from './service-labels.ts'

/** Prices by their names on the wire; null: as any input token. */
type Prices = Readonly<Record<string, string | null>>
type Model = Extract<Service, { priceModel: 'token_metered' }>
type Fixed = Exclude<Service, Model>

/** How prices are shown to callers once they are saved. */
type Preview = Priced &
  OfKind & {
    readonly cacheReadPricePer1M: string | null
    readonly cacheWritePricePer1M: string | null
    readonly scheduledPricing?: {
      readonly effectiveAt: string
      readonly amountUntilThen?: string
      readonly inputPricePer1MTokensUsdc?: string
      readonly outputPricePer1MTokensUsdc?: string
    }
  }
type Notice = { readonly seconds: number; readonly now: number }

const NO_CACHE = { cacheReadPricePer1M: null, cacheWritePricePer1M: null }

/** Prices of a service as its callers will see them after they are saved; nothing while they are the saved ones. */
export function PricePreview({ service, prices }: { service: Service; prices: Prices }) {
  const seconds = useConsoleConfig()?.priceNoticeSeconds
  const [now] = useState(() => Date.now())
  if (seconds === undefined) return null
  const notice = { seconds, now }
  const preview =
    service.priceModel === 'fixed'
      ? previewFixed(service, prices, notice)
      : previewModel(service, prices, notice)
  if (preview === null) return null
  const { scheduledPricing } = preview
  return (
    <section aria-label="Preview for callers" className="rounded-lg border bg-subtle px-4 py-3">
      <p className="mb-1.5 text-sm text-muted">Preview for callers</p>
      <ServicePrice {...preview} />
      <CachePrices {...preview} />
      <ScheduledPrice {...preview} />
      <p className="mt-2 text-sm text-muted">
        {scheduledPricing === undefined
          ? 'Takes effect immediately for every caller.'
          : scheduledPricing.effectiveAt === service.scheduledPricing?.effectiveAt
            ? 'The current notice period continues.'
            : 'The notice period starts when you save.'}
      </p>
    </section>
  )
}

function previewFixed(service: Fixed, prices: Prices, notice: Notice): Preview | null {
  const saved = service.pricing.amount
  const amount = prices.amount ?? saved
  if (read(amount) === read(saved)) return null
  const shown = { pricing: { amount }, ...NO_CACHE }
  const { scheduledPricing } = service
  const inForce = scheduledPricing?.amountUntilThen ?? saved
  if (notice.seconds === 0 || read(amount) <= read(inForce)) return shown
  const announced = read(amount) <= read(saved) ? scheduledPricing : undefined
  const effectiveAt = announced?.effectiveAt ?? endOf(notice)
  return { ...shown, scheduledPricing: { effectiveAt, amountUntilThen: inForce } }
}

type Terms = Record<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'hold', Usdc>
const NAMES = ['input', 'output', 'cacheRead', 'cacheWrite', 'hold'] as const

/** As the gateway does: each price that falls takes effect at once, and all that rise after the notice. */
function previewModel(service: Model, prices: Prices, notice: Notice): Preview | null {
  const inForce = termsOf(service)
  const saved = termsOf({ ...service, ...service.scheduledPricing })
  const wanted = termsOf({ ...service, ...service.scheduledPricing, ...prices })
  if (NAMES.every(name => wanted[name] === saved[name])) return null
  const isRaised = notice.seconds > 0 && NAMES.some(name => wanted[name] > inForce[name])
  const lower = (name: keyof Terms) => (isRaised && inForce[name] < wanted[name] ? inForce : wanted)[name]
  const shown = {
    modelKind: service.modelKind,
    pricing: {
      inputPricePer1MTokensUsdc: formatUsdc(lower('input')),
      outputPricePer1MTokensUsdc: formatUsdc(lower('output')),
    },
    cacheReadPricePer1M: lower('cacheRead') === lower('input') ? null : formatUsdc(lower('cacheRead')),
    cacheWritePricePer1M: lower('cacheWrite') === lower('input') ? null : formatUsdc(lower('cacheWrite')),
  }
  if (!isRaised) return shown
  const announced = NAMES.every(name => wanted[name] <= saved[name]) ? service.scheduledPricing : undefined
  const effectiveAt = announced?.effectiveAt ?? endOf(notice)
  return {
    ...shown,
    scheduledPricing: {
      effectiveAt,
      inputPricePer1MTokensUsdc: formatUsdc(wanted.input),
      outputPricePer1MTokensUsdc: formatUsdc(wanted.output),
    },
  }
}

/** Returns every price of a model; a cached token without its own costs the input price. */
function termsOf(of: {
  readonly inputPricePer1MTokensUsdc: string
  readonly outputPricePer1MTokensUsdc: string
  readonly cacheReadPricePer1M: string | null
  readonly cacheWritePricePer1M: string | null
  readonly maxAutoHoldUsdc: string
}): Terms {
  const input = of.inputPricePer1MTokensUsdc
  return {
    input: read(input),
    output: read(of.outputPricePer1MTokensUsdc),
    cacheRead: read(of.cacheReadPricePer1M ?? input),
    cacheWrite: read(of.cacheWritePricePer1M ?? input),
    hold: read(of.maxAutoHoldUsdc),
  }
}

const read = (usdc: string): Usdc => parseUsdc(usdc)
const endOf = ({ seconds, now }: Notice): string => new Date(now + seconds * 1_000).toISOString()
