import { formatUsdc, type Usdc } from '@farebox/money'
import { HOLD_BUFFER_BASE } from '@farebox/wire/llm-terms'
import { modelKindOf } from '@farebox/wire/model-kinds'
import type {
  ApiServiceSummary,
  LlmServiceSummary,
  ServiceRecord,
  ServiceSummary,
} from '@farebox/wire/services'
import { getAddress } from 'viem'
import { type PriceState, pricingInForce } from './pricing/price-notice-rules.ts'
import type { FixedPricing, Pricing, TokenPricing } from './pricing/pricing-rules.ts'
import { healthOf, statusOf, type TargetHealth } from './rules.ts'
import type { ServiceRow } from './store.ts'

/** Public members of a service. */
export type SummaryRow = Pick<
  ServiceRow,
  | 'id'
  | 'agentToolName'
  | 'serviceName'
  | 'summary'
  | 'description'
  | 'tags'
  | keyof PriceState
  | 'isActive'
  | 'suspendedAt'
  | 'deletedAt'
  | 'targetsVerified'
> & { readonly targets: readonly (TargetHealth & { readonly url: string })[] }

/**
 * Returns the public view of a service: at its saved price, or at the effective terms if callers need not state a
 * price.
 */
export function presentSummary(row: SummaryRow): ServiceSummary {
  const pricing = shownPricing(row)
  return pricing.model === 'fixed' ? apiSummary(row, pricing) : llmSummary(row, pricing)
}

/** Returns a service for callers who state no price: at the effective terms. */
export function presentListedPrice(row: SummaryRow): ServiceSummary {
  const pricing = pricingInForce(row)
  return pricing.model === 'fixed' ? apiSummary(row, pricing) : llmSummary(row, pricing)
}

/** Returns a service for its owner. */
export function presentRecord(row: ServiceRow): ServiceRecord {
  const pricing = shownPricing(row)
  if (pricing.model === 'fixed') return { ...apiSummary(row, pricing), ...ownerView(row) }
  const { upstreamModel, outputLimitField } = pricing
  return { ...llmSummary(row, pricing), ...ownerView(row), upstreamModel, outputLimitField }
}

function shownPricing(row: SummaryRow): Pricing {
  return row.pricing.model === 'fixed' ? row.pricing : pricingInForce(row)
}

function apiSummary(row: SummaryRow, { price }: FixedPricing): ApiServiceSummary {
  return {
    ...naming(row),
    serviceKind: 'api',
    priceModel: 'fixed',
    pricing: { amount: formatUsdc(price), currency: 'USDC' },
    ...scheduledPrice(row),
    ...standing(row),
  }
}

function scheduledPrice({ pricing, notice }: SummaryRow): Pick<ApiServiceSummary, 'scheduledPricing'> {
  if (pricing.model !== 'fixed' || notice?.pricing.model !== 'fixed') return {}
  const [amount, amountUntilThen] = [formatUsdc(pricing.price), formatUsdc(notice.pricing.price)]
  const effectiveAt = notice.endsAt.toISOString()
  return { scheduledPricing: { amount, currency: 'USDC', amountUntilThen, effectiveAt } }
}

function llmSummary(row: SummaryRow, pricing: TokenPricing): LlmServiceSummary {
  const prices = tokenPrices(pricing)
  return {
    ...naming(row),
    serviceKind: 'llm',
    priceModel: 'token_metered',
    ...prices,
    ...cachePrices(pricing),
    ...holdTerms(pricing),
    llmDialect: pricing.dialect,
    modelKind: modelKindOf(pricing.dialect, row.targets),
    // Terms of a notice that was saved before there were families lack it.
    modelFamily: row.pricing.model === 'fixed' ? null : row.pricing.modelFamily,
    inputModalities: row.pricing.model === 'fixed' ? null : row.pricing.inputModalities,
    pricing: { ...prices, currency: 'USDC' },
    ...scheduledTerms(row),
    ...standing(row),
  }
}

function tokenPrices({ inputPricePer1M, outputPricePer1M }: TokenPricing) {
  return {
    inputPricePer1MTokensUsdc: formatUsdc(inputPricePer1M),
    outputPricePer1MTokensUsdc: formatUsdc(outputPricePer1M),
  }
}

function cachePrices({ cacheReadPricePer1M, cacheWritePricePer1M }: TokenPricing) {
  return {
    cacheReadPricePer1M: formatIfAny(cacheReadPricePer1M),
    cacheWritePricePer1M: formatIfAny(cacheWritePricePer1M),
  }
}

const formatIfAny = (price: Usdc | null): string | null => (price === null ? null : formatUsdc(price))

function holdTerms(pricing: TokenPricing) {
  const { defaultMaxOutputTokens, maxAutoHold, holdBufferBps, mediaTokens, contextTokens } = pricing
  return {
    defaultMaxOutputTokens,
    mediaTokens,
    contextTokens,
    maxAutoHoldUsdc: formatUsdc(maxAutoHold),
    holdBufferMultiplier: holdBufferBps / HOLD_BUFFER_BASE,
  }
}

function scheduledTerms({ pricing, notice }: SummaryRow): Pick<LlmServiceSummary, 'scheduledPricing'> {
  if (notice === null || pricing.model === 'fixed') return {}
  const terms = { ...tokenPrices(pricing), ...cachePrices(pricing), ...holdTerms(pricing) }
  const effectiveAt = notice.endsAt.toISOString()
  return { scheduledPricing: { ...terms, currency: 'USDC', effectiveAt } }
}

function naming(row: SummaryRow) {
  const { id: serviceId, serviceName, agentToolName, summary, description, tags } = row
  return { serviceId, serviceName, agentToolName, summary, description, tags }
}

function standing(row: SummaryRow) {
  const status = statusOf(row)
  const { runtimeAvailable } = healthOf(status, row.targets)
  return { status, isActive: row.isActive, runtimeAvailable, targetVerified: row.targetsVerified }
}

const secondsOf = (time: Date | null) => (time === null ? null : Math.floor(time.getTime() / 1_000))

function ownerView(row: ServiceRow) {
  return {
    ownerAddress: getAddress(row.owner),
    invoke: {
      method: row.method,
      targets: row.targets.map(({ url, weight, healthPath, isHealthy, lastProbedAt }) => {
        return { url, weight, healthPath, isHealthy, lastCheckedAt: secondsOf(lastProbedAt) }
      }),
      request: row.request,
      response: row.response,
      timeoutMs: row.timeoutMs,
      streamIdleTimeoutMs: row.streamIdleTimeoutMs,
      streamMaxMs: row.streamMaxMs,
      encoding: row.encoding,
      contentType: row.contentType,
    },
    healthCheck: row.healthCheck,
    hasUpstreamHeaders: row.upstreamHeaders !== null,
    signature: row.signature,
    providerProfile: row.providerProfile,
    payoutAccount: row.payoutAccount,
    governance: row.governance,
    health: healthOf(statusOf(row), row.targets),
    suspension:
      row.suspendedAt === null
        ? null
        : { suspendedAt: row.suspendedAt.toISOString(), reason: row.suspensionReason },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
