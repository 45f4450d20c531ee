import { GatewayError } from '@farebox/wire/errors'
import type { Address } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { lockStanding, noSecret } from './issue-signing-secret.ts'
import { deleteAllBut } from './secret-store.ts'

/** Returns tool names of services of an owner whose requests are signed with its secret, a few of them at most. */
export type FindSignedServices = (tx: Tx, owner: Address) => Promise<string[]>

/**
 * Deletes the signing secret of a wallet, the next one included. Refused while services use it: signed by Ed25519 in
 * its place, they would refuse every call until their verifiers know that key.
 *
 * @returns the id of the secret that signed
 * @throws GatewayError SECRET_NOT_FOUND; INVALID_STATE with `detail.services` while services use it
 */
export function deleteSigningSecret(
  deps: Pick<Deps, 'db'> & { readonly findSigned: FindSignedServices },
  owner: Address,
): Promise<string> {
  return deps.db.transaction(async tx => {
    const { current } = await lockStanding(tx, owner)
    if (current === null) throw noSecret()
    const services = await deps.findSigned(tx, owner)
    if (services.length > 0) throw inUse(services)
    await deleteAllBut(tx, owner, null)
    return current.id
  })
}

function inUse(services: readonly string[]): GatewayError {
  const message = `Requests to ${services.join(', ')} are signed with this secret. Set their signature to ed25519, or delete them, first.`
  return new GatewayError('INVALID_STATE', { services }, { message })
}
