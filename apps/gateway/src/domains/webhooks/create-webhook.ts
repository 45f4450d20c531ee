import { GatewayError } from '@farebox/wire/errors'
import { type CreateWebhookBody, type ShownWebhook, WEBHOOKS_PER_WALLET_MAX } from '@farebox/wire/webhooks'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { presentWebhook } from './present.ts'
import { secretOf } from './rules.ts'
import { countWebhooks, insertWebhook, lockRegistering } from './store.ts'

/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32

/** A webhook and its secret, which is returned only here. */
export type IssuedWebhook = { readonly webhook: ShownWebhook; readonly secret: string }

/**
 * Registers a webhook.
 *
 * @param owner lower-case wallet whose events are sent
 * @throws GatewayError UNSAFE_TARGET_URL; LIMIT_EXCEEDED when the wallet already has {@link WEBHOOKS_PER_WALLET_MAX}
 */
export async function createWebhook(
  deps: Pick<Deps, 'db' | 'ids' | 'upstream' | 'secretBox'>,
  owner: Address,
  { url, events }: CreateWebhookBody,
): Promise<IssuedWebhook> {
  await deps.upstream.assertSafeTarget(url, owner)
  const id = deps.ids.next('wh')
  const { secret, sealed } = makeSecret(deps, id)
  const row = await deps.db.transaction(async tx => {
    const [, count] = await Promise.all([lockRegistering(tx, owner), countWebhooks(tx, owner)])
    if (count >= WEBHOOKS_PER_WALLET_MAX) throw tooMany()
    return insertWebhook(tx, { id, owner, url, origin: new URL(url).origin, events, secret: sealed })
  })
  return { webhook: presentWebhook(row), secret }
}

/** Returns a new secret, plain and as stored. */
export function makeSecret(
  deps: Pick<Deps, 'ids' | 'secretBox'>,
  webhookId: string,
): { secret: string; sealed: string } {
  const secret = secretOf(deps.ids.nonce(SECRET_BYTES))
  return { secret, sealed: deps.secretBox.seal(secret, webhookId) }
}

function tooMany(): GatewayError {
  return new GatewayError(
    'LIMIT_EXCEEDED',
    { limit: 'webhooks', maxWebhooks: WEBHOOKS_PER_WALLET_MAX },
    { message: `A wallet may have ${WEBHOOKS_PER_WALLET_MAX} webhooks. Delete one first.` },
  )
}
