import { GatewayError } from '@farebox/wire/errors'
import type { ShownSigningSecret } from '@farebox/wire/signing-secrets'
import type { Address } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { recordChange } from '../secrets/record-change.ts'
import { presentSecret } from './secret-present.ts'
import { type SecretRow, shownSecret, standingOf } from './secret-rules.ts'
import { deleteAllBut, insertSecret, lockSecrets, readSecrets } from './secret-store.ts'

/** Length of the hash's output; RFC 2104, 3 requires no less and recommends no more. */
const SECRET_BYTES = 32

/** A signing secret with its text, which is returned only here. */
export type IssuedSigningSecret = { readonly signingSecret: ShownSigningSecret; readonly secret: string }

type IssueDeps = Pick<Deps, 'db' | 'ids' | 'secretBox'>

/**
 * Creates the signing secret of a wallet. It signs requests to services that choose HMAC.
 *
 * @param owner lower-case wallet
 * @throws GatewayError INVALID_STATE when the wallet already has one
 */
export function issueSigningSecret(deps: IssueDeps, owner: Address): Promise<IssuedSigningSecret> {
  return deps.db.transaction(async tx => {
    const { current } = await lockStanding(tx, owner)
    if (current !== null) throw alreadyThere(current)
    return addSecret(deps, tx, { owner, inSeconds: 0, replaced: null })
  })
}

/**
 * Creates the next signing secret of a wallet. The current one keeps signing during the overlap, so that the provider
 * can install the next one. Replaces a next one that has not started.
 *
 * @param overlapSeconds 0: the new one signs immediately
 * @throws GatewayError SECRET_NOT_FOUND
 */
export function rotateSigningSecret(
  deps: IssueDeps,
  owner: Address,
  overlapSeconds: number,
): Promise<IssuedSigningSecret> {
  return deps.db.transaction(async tx => {
    const { current } = await lockStanding(tx, owner)
    if (current === null) throw noSecret()
    await deleteAllBut(tx, owner, current.id)
    return addSecret(deps, tx, { owner, inSeconds: overlapSeconds, replaced: current.id })
  })
}

/** Returns the error for a wallet without a signing secret. */
export function noSecret(): GatewayError {
  const message = 'The wallet has no signing secret. Issue one by POST /api/v1/secrets/signing.'
  return new GatewayError('SECRET_NOT_FOUND', {}, { message })
}

/** Locks the secrets of a wallet and returns the current and the next one. */
export async function lockStanding(tx: Tx, owner: Address) {
  const [, rows] = await Promise.all([lockSecrets(tx, owner), readSecrets(tx, owner)])
  return standingOf(rows)
}

async function addSecret(
  deps: IssueDeps,
  tx: Tx,
  how: { readonly owner: Address; readonly inSeconds: number; readonly replaced: string | null },
): Promise<IssuedSigningSecret> {
  const { ids, secretBox } = deps
  const { owner, inSeconds, replaced } = how
  const id = ids.next('sig')
  const secret = shownSecret(ids.nonce(SECRET_BYTES))
  const row = await insertSecret(tx, { id, owner, sealed: secretBox.seal(secret, id), inSeconds })
  const signingSecret = presentSecret(row)
  await recordChange(deps, tx, {
    owner,
    secretId: id,
    action: replaced === null ? 'issued' : 'rotated',
    detail: { signsFrom: signingSecret.signsFrom, ...(replaced !== null && { replaced }) },
  })
  return { signingSecret, secret }
}

function alreadyThere({ id: keyId }: SecretRow): GatewayError {
  const message = 'The wallet has a signing secret. Replace it by POST /api/v1/secrets/signing/rotate.'
  return new GatewayError('INVALID_STATE', { keyId }, { message })
}
