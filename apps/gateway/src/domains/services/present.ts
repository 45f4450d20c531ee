import { formatUsdc } from '@farebox/money'
import { HOLD_BUFFER_BASE } from '@farebox/wire/llm-terms'
import type {
  ApiServiceSummary,
  LlmServiceSummary,
  ServiceRecord,
  ServiceSummary,
} from '@farebox/wire/services'
import { getAddress } from 'viem'
import type { FixedPricing, TokenPricing } from './pricing-rules.ts'
import { healthOf, statusOf, type TargetHealth } from './rules.ts'
import type { ServiceRow } from './store.ts'

/** What of a service is shown to anybody. */
export type SummaryRow = Pick<
  ServiceRow,
  | 'id'
  | 'agentToolName'
  | 'serviceName'
  | 'summary'
  | 'description'
  | 'tags'
  | 'pricing'
  | 'isActive'
  | 'suspendedAt'
  | 'deletedAt'
  | 'targetsVerified'
> & { readonly targets: readonly TargetHealth[] }

/** A service as anybody may see it. */
export function presentSummary(row: SummaryRow): ServiceSummary {
  const { pricing } = row
  return pricing.model === 'fixed' ? apiSummary(row, pricing) : llmSummary(row, pricing)
}

/** A service as its owner sees it. */
export function presentRecord(row: ServiceRow): ServiceRecord {
  const { pricing } = row
  if (pricing.model === 'fixed') return { ...apiSummary(row, pricing), ...ownerView(row) }
  const { upstreamModel } = pricing
  return { ...llmSummary(row, pricing), ...ownerView(row), upstreamModel }
}

function apiSummary(row: SummaryRow, { price }: FixedPricing): ApiServiceSummary {
  return {
    ...naming(row),
    serviceKind: 'api',
    priceModel: 'fixed',
    pricing: { amount: formatUsdc(price), currency: 'USDC' },
    ...standing(row),
  }
}

function llmSummary(row: SummaryRow, pricing: TokenPricing): LlmServiceSummary {
  const prices = {
    inputPricePer1MTokensUsdc: formatUsdc(pricing.inputPricePer1M),
    outputPricePer1MTokensUsdc: formatUsdc(pricing.outputPricePer1M),
  }
  return {
    ...naming(row),
    serviceKind: 'llm',
    priceModel: 'token_metered',
    ...prices,
    defaultMaxOutputTokens: pricing.defaultMaxOutputTokens,
    maxAutoHoldUsdc: formatUsdc(pricing.maxAutoHold),
    holdBufferMultiplier: pricing.holdBufferBps / HOLD_BUFFER_BASE,
    llmDialect: pricing.dialect,
    mediaTokens: pricing.mediaTokens,
    contextTokens: pricing.contextTokens,
    pricing: { ...prices, currency: 'USDC' },
    ...standing(row),
  }
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

function ownerView(row: ServiceRow) {
  return {
    ownerAddress: getAddress(row.owner),
    invoke: {
      method: row.method,
      targets: row.targets.map(({ url, weight, isHealthy }) => ({ url, weight, isHealthy })),
      request: row.request,
      response: row.response,
      timeoutMs: row.timeoutMs,
    },
    healthCheck: row.healthCheck,
    hasUpstreamHeaders: row.upstreamHeaders !== null,
    providerProfile: row.providerProfile,
    payoutAccount: row.payoutAccount,
    governance: row.governance,
    health: healthOf(statusOf(row), row.targets),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
