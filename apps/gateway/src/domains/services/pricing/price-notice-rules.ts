import type { Pricing } from './pricing-rules.ts'

/**
 * Lower terms that stay effective until a time although higher ones are saved: for callers of a metered service, and of
 * a fixed-price one if they state no price.
 */
export type PriceNotice = {
  readonly pricing: Pricing
  /** Database time at which the saved terms take effect. */
  readonly endsAt: Date
  /** Milliseconds from the read until then, positive. */
  readonly leftMs: number
}

/** Pricing of a service as saved, and its running notice; null without one. */
export type PriceState = { readonly pricing: Pricing; readonly notice: PriceNotice | null }

/** Returns the effective terms for callers who state no price. */
export const pricingInForce = ({ pricing, notice }: PriceState): Pricing => notice?.pricing ?? pricing

/** Returns for how many milliseconds prices just read stay valid; null: until a provider changes them. */
export function trueMsOf(states: readonly PriceState[]): number | null {
  const left = states.flatMap(({ notice }) => (notice === null ? [] : [notice.leftMs]))
  return left.length === 0 ? null : Math.min(...left)
}

/**
 * Returns the effective terms until saved ones take effect, and whether that is at the end of the running notice or
 * after a whole one; null if they take effect at once. Reductions take effect at once, member by member; terms no
 * higher than the announced ones need no further notice.
 */
export function noticeOf(
  before: PriceState,
  saved: Pricing,
): { readonly pricing: Pricing; readonly keepsEnd: boolean } | null {
  const reported = explicit(saved)
  const pricing = lowerOf(explicit(pricingInForce(before)), reported)
  if (isSame(pricing, reported)) return null
  const isAnnounced = before.notice !== null && isSame(lowerOf(explicit(before.pricing), reported), reported)
  return { pricing: implicit(pricing), keepsEnd: isAnnounced }
}

/** Returns terms with every price: cached tokens without their own price cost the input price. */
function explicit(pricing: Pricing): Pricing {
  if (pricing.model === 'fixed') return pricing
  const { inputPricePer1M, cacheReadPricePer1M, cacheWritePricePer1M } = pricing
  return {
    ...pricing,
    cacheReadPricePer1M: cacheReadPricePer1M ?? inputPricePer1M,
    cacheWritePricePer1M: cacheWritePricePer1M ?? inputPricePer1M,
  }
}

/** Returns terms without prices of cached tokens that equal the input price. */
function implicit(pricing: Pricing): Pricing {
  if (pricing.model === 'fixed') return pricing
  const { inputPricePer1M: input, cacheReadPricePer1M: read, cacheWritePricePer1M: write } = pricing
  return {
    ...pricing,
    cacheReadPricePer1M: read === input ? null : read,
    cacheWritePricePer1M: write === input ? null : write,
  }
}

/**
 * Returns saved terms with each quantity (a price, the hold's bounds) at the lower of old and new: all of them raise
 * the cost of a call. An absent one counts as the lowest.
 */
function lowerOf(before: Pricing, saved: Pricing): Pricing {
  const old: Readonly<Record<string, unknown>> = before
  const members = Object.entries(saved).map(([name, value]) => [
    name,
    isRaised(old[name], value) ? old[name] : value,
  ])
  return Object.fromEntries(members) as Pricing
}

const isQuantity = (value: unknown) => typeof value === 'bigint' || typeof value === 'number'

function isRaised(before: unknown, after: unknown): boolean {
  if (!isQuantity(after)) return false
  return before === null || (isQuantity(before) && before < after)
}

/** Returns true if terms equal those that {@link lowerOf} made of them. */
const isSame = (lower: Pricing, saved: Pricing) => writePricing(lower) === writePricing(saved)

/** Serialises terms as JSON, amounts in micro-USDC as strings. */
export function writePricing(pricing: Pricing): string {
  return JSON.stringify(pricing, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
}
