import { GatewayError } from '@farebox/wire/errors'
import type { ShownDelivery } from '@farebox/wire/webhooks'
import type { Deps } from '../../ports.ts'
import { requeue } from './delivery-store.ts'
import { presentDelivery } from './present.ts'
import { lockWebhook, type WebhookKey, wakeNow } from './store.ts'

/**
 * Sends an event again, under the id and with the body that it had, at once and by the whole schedule, whatever became
 * of it before.
 *
 * @throws GatewayError WEBHOOK_NOT_FOUND; NOT_FOUND when the webhook has no such delivery (any more)
 */
export function replayDelivery(
  deps: Pick<Deps, 'db'>,
  key: WebhookKey,
  deliveryId: string,
): Promise<ShownDelivery> {
  return deps.db.transaction(async tx => {
    if ((await lockWebhook(tx, key)) === undefined) throw new GatewayError('WEBHOOK_NOT_FOUND')
    const row = await requeue(tx, { webhookId: key.id, id: deliveryId })
    if (row === undefined) throw new GatewayError('NOT_FOUND', {}, { message: 'There is no such delivery.' })
    return presentDelivery(row, await wakeNow(tx, key.id))
  })
}
