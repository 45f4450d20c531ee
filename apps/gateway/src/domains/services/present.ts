import { formatUsdc } from '@farebox/money'
import type { ServiceRecord, ServiceSummary } from '@farebox/wire/services'
import { getAddress } from 'viem'
import { healthOf, statusOf } from './rules.ts'
import type { ServiceRow } from './store.ts'

/** A service as anybody may see it. */
export function presentSummary(row: ServiceRow): ServiceSummary {
  const status = statusOf(row)
  return {
    serviceId: row.id,
    serviceName: row.serviceName,
    agentToolName: row.agentToolName,
    serviceKind: 'api',
    priceModel: 'fixed',
    summary: row.summary,
    description: row.description,
    tags: row.tags,
    pricing: { amount: formatUsdc(row.price), currency: 'USDC' },
    status,
    isActive: row.isActive,
    runtimeAvailable: healthOf(status, row.targets).runtimeAvailable,
  }
}

/** A service as its owner sees it. */
export function presentRecord(row: ServiceRow): ServiceRecord {
  const summary = presentSummary(row)
  return {
    ...summary,
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
    health: healthOf(summary.status, row.targets),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
