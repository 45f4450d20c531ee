import { GatewayError } from '@farebox/wire/errors'
import { newExpiry } from '@farebox/wire/expiry'
import { intervalStart } from '@farebox/wire/intervals'
import { RPM_DEFAULT } from '@farebox/wire/rate'
import { type IssueSecretBody, SECRETS_PER_WALLET_MAX } from '@farebox/wire/secrets'
import { tokenDigest } from '@farebox/wire/tokens'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { markProvider } from '../auth/mark-provider.ts'
import { recordChange } from './record-change.ts'
import { maskKey, presentSettings, type SecretRow, type SecretSettings } from './rules.ts'
import { countLive, insertSecret, lockIssuing, readClock } from './store.ts'

/** Number of characters of its id in the generated name of a secret. */
const NAME_CHARS = 6

/** A provider secret and its key, which is returned only here, as only its digest is stored. */
export type IssuedSecret = { readonly secretKey: string; readonly secret: SecretRow }

/**
 * Issues a provider secret, and gives the wallet the provider role.
 *
 * @param owner lower-case wallet for whose services the secret is valid
 * @throws GatewayError LIMIT_EXCEEDED when the wallet already has {@link SECRETS_PER_WALLET_MAX}; INVALID_PAYLOAD for
 * an invalid expiry
 */
export async function issueSecret(
  deps: Pick<Deps, 'db' | 'ids'>,
  owner: Address,
  body: IssueSecretBody,
): Promise<IssuedSecret> {
  const { db, ids } = deps
  const secretKey = ids.token('psk')
  const id = ids.next('psec')
  const secret = await db.transaction(async tx => {
    const [, live, now] = await Promise.all([lockIssuing(tx, owner), countLive(tx, owner), readClock(tx)])
    if (live >= SECRETS_PER_WALLET_MAX) throw tooMany()
    const settings: SecretSettings = {
      name: body.name ?? `secret ${id.slice(-NAME_CHARS)}`,
      rpm: body.rpm ?? RPM_DEFAULT,
      creditLimit: body.creditLimit ?? null,
      resetInterval: body.resetInterval ?? 'never',
      maxCalls: body.maxCalls == null ? null : BigInt(body.maxCalls),
      expiresAt: newExpiry(body, now),
    }
    const [row] = await Promise.all([
      insertSecret(tx, {
        ...settings,
        id,
        owner,
        digest: tokenDigest(secretKey),
        maskedKey: maskKey(secretKey),
        intervalStart: intervalStart(settings.resetInterval, now),
      }),
      markProvider(tx, owner),
      recordChange(deps, tx, {
        owner,
        secretId: id,
        action: 'issued',
        detail: { after: presentSettings(settings) },
      }),
    ])
    return row
  })
  return { secretKey, secret }
}

function tooMany(): GatewayError {
  return new GatewayError(
    'LIMIT_EXCEEDED',
    { limit: 'provider_secrets', maxSecrets: SECRETS_PER_WALLET_MAX },
    { message: `A wallet may have ${SECRETS_PER_WALLET_MAX} provider secrets. Delete one first.` },
  )
}
