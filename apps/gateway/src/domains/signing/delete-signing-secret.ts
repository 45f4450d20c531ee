import { GatewayError } from '@farebox/wire/errors'
import type { Address } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { recordChange } from '../secrets/record-change.ts'
import { lockStanding, noSecret } from './issue-signing-secret.ts'
import { deleteAllBut } from './secret-store.ts'

/** Returns the tool names of an owner's services that use its secret; only a few of them. */
export type FindSignedServices = (tx: Tx, owner: Address) => Promise<string[]>

/**
 * Deletes the signing secrets of a wallet, current and next. Refused while services use them: these would be signed
 * with Ed25519 instead and reject every call until they can verify that key.
 *
 * @returns the id of the secret that signed
 * @throws GatewayError SECRET_NOT_FOUND; INVALID_STATE with `detail.services` while services use it
 */
export function deleteSigningSecret(
  deps: Pick<Deps, 'db' | 'ids'> & { readonly findSigned: FindSignedServices },
  owner: Address,
): Promise<string> {
  return deps.db.transaction(async tx => {
    const { current } = await lockStanding(tx, owner)
    if (current === null) throw noSecret()
    const services = await deps.findSigned(tx, owner)
    if (services.length > 0) throw inUse(services)
    await deleteAllBut(tx, owner, null)
    await recordChange(deps, tx, { owner, secretId: current.id, action: 'deleted', detail: {} })
    return current.id
  })
}

function inUse(services: readonly string[]): GatewayError {
  const message = `Requests to ${services.join(', ')} are signed with this secret. Set their signature to ed25519, or delete them, first.`
  return new GatewayError('INVALID_STATE', { services }, { message })
}
