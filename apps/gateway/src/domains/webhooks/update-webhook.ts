import { GatewayError } from '@farebox/wire/errors'
import type { ShownWebhook, UpdateWebhookBody } from '@farebox/wire/webhooks'
import type { Deps } from '../../ports.ts'
import { presentWebhook } from './present.ts'
import { findWebhook, lockWebhook, type WebhookKey, writeSettings } from './store.ts'

/**
 * Changes a webhook. What waits is sent to the new URL; and when it is switched on again, at once.
 *
 * @throws GatewayError WEBHOOK_NOT_FOUND, UNSAFE_TARGET_URL
 */
export async function updateWebhook(
  deps: Pick<Deps, 'db' | 'upstream'>,
  key: WebhookKey,
  { url, events, isActive }: UpdateWebhookBody,
): Promise<ShownWebhook> {
  // Not before it is known to be the caller's: each look at a URL may ask the name servers.
  if ((await findWebhook(deps.db, key)) === undefined) throw new GatewayError('WEBHOOK_NOT_FOUND')
  if (url !== undefined) await deps.upstream.assertSafeTarget(url)
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
