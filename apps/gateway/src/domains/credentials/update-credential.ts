import type { UpdateCredentialBody } from '@farebox/wire/credentials'
import type { Deps } from '../../ports.ts'
import { assertServicesExist, type ServiceNames } from './allowed-services.ts'
import { assertWithinPolicy } from './credit-limit.ts'
import { type CredentialKey, lockOwnCredential } from './own-credential.ts'
import type { AgentGuard } from './require-agent.ts'
import { type Credential, changeSettings, countersAfter, credentialAt, differenceOf } from './rules.ts'
import { appendAudit, readDrawAfter, writeSettings } from './store.ts'

/**
 * Changes settings of a credential; absent members are unchanged. A change without effect is not logged. A lowered
 * limit applies to the next call. A revoked credential can be renamed but stays revoked.
 *
 * @param input.action name of the action in the audit log
 * @throws GatewayError CREDENTIAL_NOT_FOUND; LIMIT_EXCEEDED when a new credit limit or interval exceeds the owner's
 * spending policy; INVALID_PAYLOAD for an invalid expiry and for added services that do not exist
 */
export async function updateCredential(
  deps: Pick<Deps, 'db' | 'ids' | 'config'> & {
    agents: Pick<AgentGuard, 'forget'>
    services: ServiceNames
  },
  key: CredentialKey,
  input: { changes: UpdateCredentialBody; action: 'updated' | 'quota_updated' },
): Promise<Credential> {
  const { changes, action } = input
  const credential = await deps.db.transaction(async tx => {
    const { row, now } = await lockOwnCredential(tx, key)
    const settings = changeSettings(row, changes, now)
    const known = new Set(row.allowedServices)
    const added = settings.allowedServices?.filter(name => !known.has(name)) ?? []
    await assertServicesExist(tx, deps.services, added)
    const difference = differenceOf(row, settings)
    if (difference === null) return credentialAt(row, now)
    if (settings.creditLimit !== row.creditLimit || settings.resetInterval !== row.resetInterval) {
      const { creditLimit, resetInterval: interval } = settings
      await assertWithinPolicy(tx, deps.config, { owner: row.owner, creditLimit, interval, now })
    }
    // No call was drawn after the end of an interval that stays.
    const isKept = settings.resetInterval === row.resetInterval
    const drawn = { now, lastDraw: isKept ? null : await readDrawAfter(tx, row.id, now) }
    const after = { ...row, ...settings, ...countersAfter(row, settings.resetInterval, drawn) }
    await Promise.all([
      writeSettings(tx, row.id, after),
      appendAudit(tx, deps.ids, { owner: row.owner, credentialId: row.id, action, detail: difference }),
    ])
    return credentialAt(after, now)
  })
  deps.agents.forget(key.id)
  return credential
}
