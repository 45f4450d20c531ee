import { errorTable, GatewayError } from '@farebox/wire/errors'
import { tokenLeadOf } from '@farebox/wire/partition'
import { tokenDigest } from '@farebox/wire/tokens'
import type { Deps } from '../../ports.ts'
import type { IssuedCredential } from './issue-credential.ts'
import { type CredentialKey, lockOwnCredential } from './own-credential.ts'
import type { AgentGuard } from './require-agent.ts'
import { credentialAt } from './rules.ts'
import { type Addition, appendAudit, writeToken } from './store.ts'

/**
 * Issues a new token for a credential. Limits, their usage and idempotency keys remain. Only the previous token keeps
 * working, for the overlap; earlier ones end.
 *
 * @param overlapSeconds time for which the previous token remains valid; 0: it ends immediately
 * @param added entry and writes of the caller, in the same transaction, with the credential locked
 * @throws GatewayError CREDENTIAL_NOT_FOUND; INVALID_STATE when it is revoked or expired
 */
export async function rotateCredential(
  deps: Pick<Deps, 'db' | 'ids'> & { agents: Pick<AgentGuard, 'forget'> },
  key: CredentialKey,
  overlapSeconds: number,
  added?: Addition,
): Promise<IssuedCredential> {
  const token = deps.ids.token('agt', tokenLeadOf(key.owner))
  const credential = await deps.db.transaction(async tx => {
    const { row, now } = await lockOwnCredential(tx, key)
    const current = credentialAt(row, now)
    if (current.status !== 'active') {
      // The caller is authenticated as the owner, so the code is not that of an invalid token.
      const [, message] = errorTable.CREDENTIAL_INACTIVE
      throw new GatewayError('INVALID_STATE', { credentialStatus: current.status }, { message })
    }
    await added?.write(tx, row.id)
    const previousUntil = overlapSeconds === 0 ? null : new Date(now.getTime() + overlapSeconds * 1_000)
    await Promise.all([
      writeToken(tx, row.id, { digest: tokenDigest(token), previousUntil }),
      appendAudit(tx, deps.ids, {
        owner: row.owner,
        credentialId: row.id,
        action: 'rotated',
        detail: { overlapSeconds, ...added?.detail },
      }),
    ])
    return current
  })
  deps.agents.forget(key.id)
  return { token, credential }
}
