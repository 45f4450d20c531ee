import { exampleId } from '@farebox/wire/common'

const webhook = {
  id: exampleId('wh'),
  url: 'https://example.com/farebox',
  events: ['deposit.credited', 'balance.low'],
  status: 'active',
  disabledReason: null,
  failingSince: null,
  lastSuccessAt: '2026-11-21T09:30:00.000Z',
  previousSecretUntil: null,
  suppressedLastDay: 0,
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
}

const delivery = {
  id: exampleId('evt'),
  type: 'balance.low',
  status: 'delivered',
  attempts: 1,
  responseStatus: 204,
  error: null,
  createdAt: '2026-11-21T09:30:00.000Z',
  lastAttemptAt: '2026-11-21T09:30:00.120Z',
  nextAttemptAt: null,
  payload: {
    type: 'balance.low',
    timestamp: '2026-11-21T09:30:00.000Z',
    data: {
      walletAddress: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
      balanceUsdc: '0.990000',
      availableUsdc: '0.980000',
      heldUsdc: '0.010000',
      thresholdUsdc: '1.000000',
    },
  },
}

const waiting = { status: 'pending', attempts: 0, responseStatus: null, lastAttemptAt: null }
const success = { status: 'success' }
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/PeOUpMxWBs='

export const createBody = { url: webhook.url, events: webhook.events }
export const updateBody = { events: ['deposit.credited'], isActive: true }
export const rotateBody = { overlapSeconds: 3_600 }
export const one = { ...success, webhook }
export const issued = { ...success, webhook: { ...webhook, lastSuccessAt: null }, secret }
export const deleted = { ...success, webhookId: webhook.id }
export const list = { ...success, webhooks: [webhook] }
export const deliveries = { ...success, deliveries: [delivery], nextCursor: null }
export const replayed = {
  ...success,
  delivery: { ...delivery, status: 'pending', nextAttemptAt: '2026-11-21T10:00:00.000Z' },
}
export const tested = {
  ...success,
  delivery: {
    ...delivery,
    ...waiting,
    type: 'webhook.test',
    nextAttemptAt: delivery.createdAt,
    payload: {
      type: 'webhook.test',
      timestamp: delivery.createdAt,
      data: { walletAddress: delivery.payload.data.walletAddress, webhookId: webhook.id },
    },
  },
}
