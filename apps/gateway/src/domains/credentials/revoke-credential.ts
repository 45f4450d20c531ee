import type { Deps } from '../../ports.ts'
import { type CredentialKey, lockOwnCredential } from './own-credential.ts'
import type { AgentGuard } from './require-agent.ts'
import { type Credential, credentialAt } from './rules.ts'
import { appendAudit, writeStatus } from './store.ts'

/**
 * Revokes a credential. After the response no gateway admits a call with it. Idempotent.
 *
 * @throws GatewayError CREDENTIAL_NOT_FOUND
 */
export async function revokeCredential(
  deps: Pick<Deps, 'db' | 'ids'> & { agents: Pick<AgentGuard, 'forget'> },
  key: CredentialKey,
): Promise<Credential> {
  const credential = await deps.db.transaction(async tx => {
    const { row, now } = await lockOwnCredential(tx, key)
    if (row.status === 'revoked') return credentialAt(row, now)
    await Promise.all([
      writeStatus(tx, row.id, 'revoked'),
      appendAudit(tx, {
        id: deps.ids.next('aud'),
        owner: row.owner,
        credentialId: row.id,
        action: 'revoked',
        actor: row.owner,
        detail: {},
      }),
    ])
    return credentialAt({ ...row, status: 'revoked' }, now)
  })
  deps.agents.forget(key.id)
  return credential
}
