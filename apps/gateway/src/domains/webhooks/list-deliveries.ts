import { GatewayError } from '@farebox/wire/errors'
import type { DeliveryStatus, ShownDelivery } from '@farebox/wire/webhooks'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { listDeliveryRows } from './delivery-store.ts'
import { presentDelivery } from './present.ts'
import { findWebhook, type WebhookKey } from './store.ts'

/**
 * Lists the deliveries of a webhook, newest first.
 *
 * @param query.status only those in this status
 * @throws GatewayError WEBHOOK_NOT_FOUND; INVALID_REQUEST for an invalid cursor
 */
export async function listDeliveries(
  deps: Pick<Deps, 'db'>,
  key: WebhookKey,
  query: { status: DeliveryStatus | undefined; limit: number; cursor: string | undefined },
): Promise<Page<ShownDelivery>> {
  const { status, limit } = query
  const before = keyOfCursor(query.cursor, /^evt_/)
  const webhook = await findWebhook(deps.db, key)
  if (webhook === undefined) throw new GatewayError('WEBHOOK_NOT_FOUND')
  const rows = await listDeliveryRows(deps.db, { webhookId: webhook.id, status, before, limit: limit + 1 })
  const { items, nextCursor } = pageOf(rows, limit, row => row.id)
  return { items: items.map(row => presentDelivery(row, webhook)), nextCursor }
}
