import { intervalStart } from '@farebox/wire/intervals'
import { tokenLeadOf } from '@farebox/wire/partition'
import { RPM_MAX } from '@farebox/wire/rate'
import { tokenDigest } from '@farebox/wire/tokens'
import type { Deps, Tx } from '../../ports.ts'
import { presentSettings } from './rules.ts'
import { appendAudit, ensurePolicy, insertCredential, readClock } from './store.ts'

/**
 * Issues the credential of a wallet that pays for each call by itself. It has no limits of its own, and nobody gets its
 * token. The owner sees it among the others and may revoke it.
 *
 * @param owner lower-case wallet
 */
export async function issuePayerCredential(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  owner: string,
): Promise<{ credentialId: string; tokenDigest: Buffer }> {
  const credentialId = deps.ids.next('cred')
  const digest = tokenDigest(deps.ids.token('agt', tokenLeadOf(owner)))
  await ensurePolicy(tx, owner)
  const now = await readClock(tx)
  const settings = {
    name: 'x402',
    maxCalls: null,
    creditLimit: null,
    maxCostPerCall: null,
    rpm: RPM_MAX,
    resetInterval: 'never',
    allowedServices: null,
    expiresAt: null,
  } as const
  await insertCredential(tx, {
    ...settings,
    id: credentialId,
    owner,
    digest,
    intervalStart: intervalStart('never', now),
  })
  await appendAudit(tx, deps.ids, {
    owner,
    credentialId,
    action: 'issued',
    detail: { after: presentSettings(settings) },
  })
  return { credentialId, tokenDigest: digest }
}
