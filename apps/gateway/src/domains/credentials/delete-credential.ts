import type { Deps } from '../../ports.ts'
import { type CredentialKey, lockOwnCredential } from './own-credential.ts'
import type { AgentGuard } from './require-agent.ts'
import { type Credential, credentialAt } from './rules.ts'
import { appendAudit, writeStatus } from './store.ts'

/**
 * Deletes a credential, active or not. Owner and bearer then get the same answers as if it had never existed. Its calls
 * and audit log remain.
 *
 * @throws GatewayError CREDENTIAL_NOT_FOUND, also if it is already deleted
 */
export async function deleteCredential(
  deps: Pick<Deps, 'db' | 'ids'> & { agents: Pick<AgentGuard, 'forget'> },
  key: CredentialKey,
): Promise<Credential> {
  const credential = await deps.db.transaction(async tx => {
    const { row, now } = await lockOwnCredential(tx, key)
    await Promise.all([
      writeStatus(tx, row.id, 'deleted'),
      appendAudit(tx, {
        id: deps.ids.next('aud'),
        owner: row.owner,
        credentialId: row.id,
        action: 'deleted',
        actor: row.owner,
        detail: {},
      }),
    ])
    return credentialAt({ ...row, status: 'deleted' }, now)
  })
  deps.agents.forget(key.id)
  return credential
}
