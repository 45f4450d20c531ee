import { GatewayError } from '@farebox/wire/errors'
import type { ShownSigningSecret } from '@farebox/wire/signing-secrets'
import type { Address } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { presentSecret } from './secret-present.ts'
import { type SecretRow, shownSecret, standingOf } from './secret-rules.ts'
import { deleteAllBut, insertSecret, lockSecrets, readSecrets } from './secret-store.ts'

/** As long as the output of the hash: RFC 2104, 3 asks for no less and gains nothing by more. */
const SECRET_BYTES = 32

/** A signing secret, and its text, which is shown this once. */
export type IssuedSigningSecret = { readonly signingSecret: ShownSigningSecret; readonly secret: string }

type IssueDeps = Pick<Deps, 'db' | 'ids' | 'secretBox'>

/**
 * Makes the signing secret of a wallet. It signs requests to those services that choose HMAC.
 *
 * @param owner lower-case wallet
 * @throws GatewayError INVALID_STATE when the wallet has one already
 */
export function issueSigningSecret(deps: IssueDeps, owner: Address): Promise<IssuedSigningSecret> {
  return deps.db.transaction(async tx => {
    const { current } = await lockStanding(tx, owner)
    if (current !== null) throw alreadyThere(current)
    return addSecret(deps, tx, { owner, inSeconds: 0 })
  })
}

/**
 * Makes the next signing secret of a wallet. The old one goes on signing during the overlap, so that the provider can
 * install the new one first; a next one that was waiting is dropped.
 *
 * @param overlapSeconds 0: the new one signs at once
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
    return addSecret(deps, tx, { owner, inSeconds: overlapSeconds })
  })
}

/** The refusal of what needs a signing secret, to a wallet without one. */
export function noSecret(): GatewayError {
  const message = 'The wallet has no signing secret. Issue one by POST /api/v1/secrets/signing.'
  return new GatewayError('SECRET_NOT_FOUND', {}, { message })
}

/** Locks the secrets of a wallet and returns the one that signs now and the next one. */
export async function lockStanding(tx: Tx, owner: Address) {
  const [, rows] = await Promise.all([lockSecrets(tx, owner), readSecrets(tx, owner)])
  return standingOf(rows)
}

async function addSecret(
  { ids, secretBox }: IssueDeps,
  tx: Tx,
  { owner, inSeconds }: { owner: Address; inSeconds: number },
): Promise<IssuedSigningSecret> {
  const id = ids.next('sig')
  const secret = shownSecret(ids.nonce(SECRET_BYTES))
  const row = await insertSecret(tx, { id, owner, sealed: secretBox.seal(secret, id), inSeconds })
  return { signingSecret: presentSecret(row), secret }
}

function alreadyThere({ id: keyId }: SecretRow): GatewayError {
  const message = 'The wallet has a signing secret. Replace it by POST /api/v1/secrets/signing/rotate.'
  return new GatewayError('INVALID_STATE', { keyId }, { message })
}
