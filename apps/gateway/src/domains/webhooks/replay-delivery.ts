import { GatewayError } from '@farebox/wire/errors'
import type { ShownDelivery } from '@farebox/wire/webhooks'
import type { Deps } from '../../ports.ts'
import { requeue } from './delivery-store.ts'
import { presentDelivery } from './present.ts'
import { lockWebhook, type WebhookKey, wakeNow } from './store.ts'

/**
 * Sends an event again, with the same id and body, immediately and with a new retry schedule, whatever its status.
 *
 * @throws GatewayError WEBHOOK_NOT_FOUND; NOT_FOUND when the webhook does not have the delivery, or no longer has it
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
