import { type ShownWebhook, WEBHOOKS_PER_WALLET_MAX } from '@farebox/wire/webhooks'
import type { Deps } from '../../ports.ts'
import { presentWebhook } from './present.ts'
import { listWebhookRows } from './store.ts'

/** Returns the webhooks of a wallet, newest first. */
export async function listWebhooks(deps: Pick<Deps, 'db'>, owner: string): Promise<ShownWebhook[]> {
  const rows = await listWebhookRows(deps.db, { owner, limit: WEBHOOKS_PER_WALLET_MAX })
  return rows.map(presentWebhook)
}
