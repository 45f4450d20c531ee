import type { MarketAnswer, MarketService } from '@farebox/wire/market'

// Examples of the market for the API reference.

const offer = {
  serviceId: 'svc_01kahd5w3xqv7m2c9z4n8r6t0e',
  serviceName: 'Weather now',
  agentToolName: 'weather-now',
  summary: 'The weather of a city',
  description: 'The weather of a city, as it is at this moment.',
  tags: ['weather'],
  status: 'active',
  isActive: true,
  runtimeAvailable: true,
  targetVerified: true,
  serviceKind: 'api',
  priceModel: 'fixed',
  pricing: { amount: '0.050000', currency: 'USDC' },
  typicalPriceUsdc: '0.050000',
  successRate: 0.998,
  latencyMs: 184,
  tokensPerSecond: null,
  days: [{ date: '2026-11-21', calls: 1_204, failed: 2, latencyMs: 184, tokensPerSecond: null }],
} as const

export const market: MarketAnswer = {
  status: 'success',
  pagination: { page: 1, pageSize: 24, total: 1 },
  services: [offer],
}

export const tags = { status: 'success', tags: [{ tag: 'weather', services: 12 }] }

export const shown: { status: 'success'; service: MarketService } = {
  status: 'success',
  service: {
    ...offer,
    provider: 'Lisbon Weather Desk',
    providerAddress: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    createdAt: '2026-09-02T08:15:00.000Z',
    method: 'POST',
    timeoutMs: 30_000,
    streamIdleTimeoutMs: 60_000,
    streamMaxMs: 600_000,
    encoding: 'json',
    contentType: null,
    pathParameters: [],
    request: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', maxLength: 80, pattern: '^[^0-9]+$' } },
    },
    response: { type: 'object', properties: { celsius: { type: 'number' } } },
  },
}

export const stats = {
  status: 'success',
  asOf: '2026-11-21T09:30:00.000Z',
  services: 214,
  callsLast7Days: 1_204_311,
  medianOverheadMs: 1.8,
}
