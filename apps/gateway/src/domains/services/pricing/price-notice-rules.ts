import type { Pricing } from './pricing-rules.ts'

/**
 * The lower terms that callers meet until a time although others are saved: callers of a metered service, and those of
 * a fixed price who assert none.
 */
export type PriceNotice = {
  readonly pricing: Pricing
  /** Database time at which the saved terms take effect. */
  readonly endsAt: Date
  /** Milliseconds from the read until then, above 0. */
  readonly leftMs: number
}

/** How a service is paid: as its provider saved it, and the notice that runs; null when none does. */
export type PriceState = { readonly pricing: Pricing; readonly notice: PriceNotice | null }

/** Returns what callers who assert no price meet now. */
export const pricingInForce = ({ pricing, notice }: PriceState): Pricing => notice?.pricing ?? pricing

/** Returns for how many milliseconds prices that were just read are in force; null: until a provider changes one. */
export function trueMsOf(states: readonly PriceState[]): number | null {
  const left = states.flatMap(({ notice }) => (notice === null ? [] : [notice.leftMs]))
  return left.length === 0 ? null : Math.min(...left)
}

/**
 * Returns what callers meet until saved terms take effect, and whether that is when the running notice ends or after a
 * whole notice; null when the terms take effect at once. Whatever lowers what a call may cost takes effect at once, member
 * by member; terms that are no higher than the announced ones need no longer notice than those.
 */
export function noticeOf(
  before: PriceState,
  saved: Pricing,
): { readonly pricing: Pricing; readonly keepsEnd: boolean } | null {
  const told = explicit(saved)
  const pricing = lowerOf(explicit(pricingInForce(before)), told)
  if (isSame(pricing, told)) return null
  const isAnnounced = before.notice !== null && isSame(lowerOf(explicit(before.pricing), told), told)
  return { pricing: implicit(pricing), keepsEnd: isAnnounced }
}

/** Returns terms that name every price: cached tokens without a price of their own cost what all input does. */
function explicit(pricing: Pricing): Pricing {
  if (pricing.model === 'fixed') return pricing
  const { inputPricePer1M, cacheReadPricePer1M, cacheWritePricePer1M } = pricing
  return {
    ...pricing,
    cacheReadPricePer1M: cacheReadPricePer1M ?? inputPricePer1M,
    cacheWritePricePer1M: cacheWritePricePer1M ?? inputPricePer1M,
  }
}

/** Returns terms without the prices of cached tokens that say no more than the price of all input does. */
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
 * Returns saved terms with each quantity (a price, the hold's bounds) at the lower of what it was and is: all of them
 * raise what a call may cost. One that was not there counts as the least.
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

/** Whether terms are the same as those that {@link lowerOf} made of them. */
const isSame = (lower: Pricing, saved: Pricing) => writePricing(lower) === writePricing(saved)

/** Writes terms as JSON, amounts in micro-USDC as strings. */
export function writePricing(pricing: Pricing): string {
  return JSON.stringify(pricing, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
}
