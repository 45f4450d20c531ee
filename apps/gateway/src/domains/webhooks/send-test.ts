import { GatewayError } from '@farebox/wire/errors'
import { type ShownDelivery, WEBHOOK_TEST_TYPE } from '@farebox/wire/webhooks'
import { type Address, getAddress } from 'viem'
import type { Deps } from '../../ports.ts'
import { insertDelivery } from './delivery-store.ts'
import { presentDelivery } from './present.ts'
import { lockWebhook, type WebhookKey, wakeNow } from './store.ts'

/**
 * Sends a signed test delivery to a webhook. Its type is not that of any event, as a receiver might act on it.
 *
 * @throws GatewayError WEBHOOK_NOT_FOUND
 */
export function testWebhook(
  deps: Pick<Deps, 'db' | 'ids' | 'clock'>,
  key: WebhookKey,
): Promise<ShownDelivery> {
  const timestamp = new Date(deps.clock.now()).toISOString()
  const data = { walletAddress: getAddress(key.owner as Address), webhookId: key.id }
  const body = JSON.stringify({ type: WEBHOOK_TEST_TYPE, timestamp, data })
  return deps.db.transaction(async tx => {
    if ((await lockWebhook(tx, key)) === undefined) throw new GatewayError('WEBHOOK_NOT_FOUND')
    const delivery = { webhookId: key.id, id: deps.ids.next('evt'), type: WEBHOOK_TEST_TYPE, body }
    const row = await insertDelivery(tx, delivery)
    return presentDelivery(row, await wakeNow(tx, key.id))
  })
}
