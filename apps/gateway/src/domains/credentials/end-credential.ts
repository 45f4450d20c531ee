import type { Deps } from '../../ports.ts'
import { type CredentialKey, lockOwnCredential } from './own-credential.ts'
import type { AgentGuard } from './require-agent.ts'
import { type Credential, credentialAt } from './rules.ts'
import { type AuditDetail, appendAudit, writeStatus } from './store.ts'

type EndDeps = Pick<Deps, 'db' | 'ids'> & { readonly agents: Pick<AgentGuard, 'forget'> }

/**
 * Revokes a credential. After the response no gateway admits a call with it. Idempotent.
 *
 * @param detail who revokes it and why, if not its owner
 * @throws GatewayError CREDENTIAL_NOT_FOUND
 */
export function revokeCredential(
  deps: EndDeps,
  key: CredentialKey,
  detail: AuditDetail = {},
): Promise<Credential> {
  return endCredential(deps, key, 'revoked', detail)
}

/**
 * Deletes a credential, active or not. Owner and bearer then get the same answers as if it had never existed. Its calls
 * and audit log remain.
 *
 * @throws GatewayError CREDENTIAL_NOT_FOUND, also if it is already deleted
 */
export function deleteCredential(deps: EndDeps, key: CredentialKey): Promise<Credential> {
  return endCredential(deps, key, 'deleted', {})
}

async function endCredential(
  deps: EndDeps,
  key: CredentialKey,
  status: 'revoked' | 'deleted',
  detail: AuditDetail,
): Promise<Credential> {
  const credential = await deps.db.transaction(async tx => {
    const { row, now } = await lockOwnCredential(tx, key)
    if (row.status === status) return credentialAt(row, now)
    await Promise.all([
      writeStatus(tx, row.id, status),
      appendAudit(tx, deps.ids, { owner: row.owner, credentialId: row.id, action: status, detail }),
    ])
    return credentialAt({ ...row, status }, now)
  })
  deps.agents.forget(key.id)
  return credential
}
