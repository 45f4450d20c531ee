import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { type IssuedWebhook, makeSecret } from './create-webhook.ts'
import { presentWebhook } from './present.ts'
import { lockWebhook, type WebhookKey, writeSecret } from './store.ts'

/**
 * Creates a new secret for a webhook. During the overlap deliveries are signed with both, so that the receiver can
 * switch without losing any.
 *
 * @param overlapSeconds 0: the old secret becomes invalid immediately
 * @throws GatewayError WEBHOOK_NOT_FOUND
 */
export async function rotateSecret(
  deps: Pick<Deps, 'db' | 'ids' | 'secretBox'>,
  key: WebhookKey,
  overlapSeconds: number,
): Promise<IssuedWebhook> {
  const { secret, sealed } = makeSecret(deps, key.id)
  const row = await deps.db.transaction(async tx => {
    if ((await lockWebhook(tx, key)) === undefined) throw new GatewayError('WEBHOOK_NOT_FOUND')
    return writeSecret(tx, { id: key.id, secret: sealed, overlapSeconds })
  })
  return { webhook: presentWebhook(row), secret }
}
