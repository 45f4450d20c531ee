import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { type WebhookKey, writeDeleted } from './store.ts'

/**
 * Deletes a webhook and its secrets. Nothing more is sent.
 *
 * @throws GatewayError WEBHOOK_NOT_FOUND
 */
export async function deleteWebhook(deps: Pick<Deps, 'db'>, key: WebhookKey): Promise<void> {
  if (!(await writeDeleted(deps.db, key))) throw new GatewayError('WEBHOOK_NOT_FOUND')
}
