import { GatewayError } from '@farebox/wire/errors'
import type { ShownWebhook, UpdateWebhookBody } from '@farebox/wire/webhooks'
import type { Deps } from '../../ports.ts'
import { presentWebhook } from './present.ts'
import { findWebhook, lockWebhook, type WebhookKey, writeSettings } from './store.ts'

/**
 * Changes a webhook. Pending deliveries use the new URL; enabling it sends them immediately.
 *
 * @throws GatewayError WEBHOOK_NOT_FOUND, UNSAFE_TARGET_URL
 */
export async function updateWebhook(
  deps: Pick<Deps, 'db' | 'upstream'>,
  key: WebhookKey,
  { url, events, isActive }: UpdateWebhookBody,
): Promise<ShownWebhook> {
  // Check ownership first, as validating a URL may query DNS.
  if ((await findWebhook(deps.db, key)) === undefined) throw new GatewayError('WEBHOOK_NOT_FOUND')
  if (url !== undefined) await deps.upstream.assertSafeTarget(url, key.owner)
  const row = await deps.db.transaction(async tx => {
    const before = await lockWebhook(tx, key)
    if (before === undefined) throw new GatewayError('WEBHOOK_NOT_FOUND')
    const isOn = isActive ?? before.status === 'active'
    const isSwitchedOn = isOn && before.status === 'disabled'
    const isElsewhere = url !== undefined && url !== before.url
    return writeSettings(tx, {
      id: before.id,
      url: url ?? before.url,
      origin: url === undefined ? before.origin : new URL(url).origin,
      events: events ?? before.events,
      status: isOn ? 'active' : 'disabled',
      disabledReason: isOn ? null : (before.disabledReason ?? 'owner'),
      isFresh: isSwitchedOn || isElsewhere,
    })
  })
  return presentWebhook(row)
}
