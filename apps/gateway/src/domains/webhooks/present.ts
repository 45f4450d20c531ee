import type { ShownDelivery, ShownWebhook } from '@farebox/wire/webhooks'
import type { DeliveryRow } from './delivery-store.ts'
import type { WebhookRow } from './store.ts'

/** Formats a webhook for a response. */
export function presentWebhook(row: WebhookRow): ShownWebhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    status: row.status,
    disabledReason: row.disabledReason,
    failingSince: row.failingSince?.toISOString() ?? null,
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    previousSecretUntil: row.previousUntil?.toISOString() ?? null,
    suppressedLastDay: Number(row.suppressedLastDay),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Formats a delivery for a response. The time of its next attempt includes the pause of a failing receiver. */
export function presentDelivery(row: DeliveryRow, webhook: WebhookRow): ShownDelivery {
  const isDue = row.status === 'pending' && webhook.status === 'active'
  const next = Math.max(row.nextAttemptAt.getTime(), webhook.pausedUntil?.getTime() ?? 0)
  const { type, timestamp, data } = JSON.parse(row.body) as ShownDelivery['payload']
  return {
    id: row.id,
    type,
    status: row.status,
    attempts: row.attempts,
    responseStatus: row.responseStatus,
    error: row.error,
    createdAt: row.createdAt.toISOString(),
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    nextAttemptAt: isDue ? new Date(next).toISOString() : null,
    payload: { type, timestamp, data },
  }
}
