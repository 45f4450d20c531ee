import type { Deps } from '../../ports.ts'
import { type CredentialKey, readOwnCredential } from './own-credential.ts'
import { type Credential, credentialAt } from './rules.ts'

/**
 * Reads a credential of an owner.
 *
 * @throws GatewayError CREDENTIAL_NOT_FOUND, also for another owner's
 */
export async function readCredential(deps: Pick<Deps, 'db'>, key: CredentialKey): Promise<Credential> {
  const { row, now } = await readOwnCredential(deps.db, key)
  return credentialAt(row, now)
}
