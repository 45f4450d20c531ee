import { exampleId } from '@farebox/wire/common'

// Examples for the published contract.

const serviceId = exampleId('svc')
const ownerAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const summary = {
  serviceId,
  serviceName: 'Weather',
  agentToolName: 'weather',
  summary: 'Weather of any city, now and for ten days.',
  description: '',
  tags: ['weather', 'forecast'],
  status: 'active',
  isActive: true,
  runtimeAvailable: true,
  targetVerified: true,
  serviceKind: 'api',
  priceModel: 'fixed',
  pricing: { amount: '0.050000', currency: 'USDC' },
}

const request = {
  body: {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 80, pattern: '^[^0-9]+$' } },
    required: ['city'],
  },
}

const record = {
  ...summary,
  ownerAddress,
  invoke: {
    method: 'POST',
    targets: [
      {
        url: 'https://api.weather.example/v1/now',
        weight: 1,
        healthPath: null,
        isHealthy: true,
        lastCheckedAt: 1_795_168_200,
      },
    ],
    request,
    response: {},
    timeoutMs: 30_000,
    streamIdleTimeoutMs: 60_000,
    streamMaxMs: 600_000,
    encoding: 'json',
    contentType: null,
  },
  healthCheck: null,
  hasUpstreamHeaders: true,
  signature: 'ed25519',
  providerProfile: null,
  payoutAccount: null,
  governance: null,
  health: {
    overallStatus: 'healthy',
    healthyTargets: 1,
    totalTargets: 1,
    lastCheckedAt: 1_795_168_200,
    runtimeAvailable: true,
  },
  suspension: null,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
}

/** A manifest of a fixed-price service. */
export const manifest = {
  serviceName: 'Weather',
  agentToolName: 'weather',
  summary: 'Weather of any city, now and for ten days.',
  tags: ['weather', 'forecast'],
  pricing: { currency: 'USDC', amount: '0.05' },
  invoke: {
    method: 'POST',
    targets: [{ url: 'https://api.weather.example/v1/now', weight: 1 }],
    request,
    response: {},
  },
  upstreamHeaders: { authorization: 'Bearer of-the-provider' },
}

/** A new service. */
export const registered = {
  serviceId,
  status: 'active',
  agentToolName: 'weather',
  service: record,
  warnings: [],
}

/** A page of an owner's services. */
export const listed = { status: 'success', services: [record], nextCursor: null }

/** A service as others see it. */
export const shown = { status: 'success', serviceId, service: summary }

/** A deactivated service. */
export const updated = {
  status: 'success',
  serviceId,
  isActive: false,
  service: {
    ...record,
    status: 'inactive',
    isActive: false,
    runtimeAvailable: false,
    health: { ...record.health, runtimeAvailable: false },
  },
}

/** A deleted service. */
export const deleted = { status: 'success', serviceId, message: 'The service is deleted.' }
