import type { IssueCredentialBody } from '@farebox/wire/credentials'
import { GatewayError } from '@farebox/wire/errors'
import { newExpiry } from '@farebox/wire/expiry'
import { intervalStart } from '@farebox/wire/intervals'
import { tokenLeadOf } from '@farebox/wire/partition'
import { RPM_DEFAULT } from '@farebox/wire/rate'
import { tokenDigest } from '@farebox/wire/tokens'
import type { Deps } from '../../ports.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { assertServicesExist, type ServiceNames } from './allowed-services.ts'
import { assertWithinPolicy } from './credit-limit.ts'
import { type Credential, credentialAt, presentSettings } from './rules.ts'
import { type Addition, appendAudit, insertCredential, readClock } from './store.ts'

/** Number of characters of its id in the generated name of a credential. */
const NAME_CHARS = 6

/** A credential and its token, which is returned only here, as only its digest is stored. */
export type IssuedCredential = { readonly token: string; readonly credential: Credential }

/**
 * Issues an agent credential.
 *
 * @param owner lower-case wallet whose balance the credential spends
 * @param added entry and writes of the caller, in the same transaction
 * @throws GatewayError INSUFFICIENT_BALANCE when the owner has no available balance; LIMIT_EXCEEDED when the credit
 * limit exceeds the owner's spending policy; INVALID_PAYLOAD for an invalid expiry and for services that do not exist
 */
export async function issueCredential(
  deps: Pick<Deps, 'db' | 'ids' | 'config'> & { services: ServiceNames },
  owner: string,
  body: IssueCredentialBody,
  added?: Addition,
): Promise<IssuedCredential> {
  const { db, ids, config } = deps
  await assertServicesExist(db, deps.services, body.allowedServices ?? [])
  const id = ids.next('cred')
  const token = ids.token('agt', tokenLeadOf(owner))
  const credential = await db.transaction(async tx => {
    const [{ consumerAvailable }, now] = await Promise.all([readBalance(tx, owner), readClock(tx)])
    if (consumerAvailable <= 0n) throw new GatewayError('INSUFFICIENT_BALANCE')
    const interval = body.resetInterval ?? 'never'
    const creditLimit = body.creditLimit ?? null
    await assertWithinPolicy(tx, config, { owner, creditLimit, interval, now })
    const settings = {
      name: body.name ?? `agent ${id.slice(-NAME_CHARS)}`,
      maxCalls: body.maxCalls == null ? null : BigInt(body.maxCalls),
      creditLimit,
      maxCostPerCall: body.maxCostPerCallUsdc ?? null,
      rpm: body.rpm ?? RPM_DEFAULT,
      resetInterval: interval,
      allowedServices: body.allowedServices ?? null,
      expiresAt: newExpiry(body, now),
    }
    const [[row]] = await Promise.all([
      insertCredential(tx, {
        ...settings,
        id,
        owner,
        digest: tokenDigest(token),
        intervalStart: intervalStart(interval, now),
      }),
      appendAudit(tx, ids, {
        owner,
        credentialId: id,
        action: 'issued',
        detail: { after: presentSettings(settings), ...added?.detail },
      }),
    ])
    if (row === undefined) throw new Error('The credential was not inserted.')
    await added?.write(tx, id)
    return credentialAt(row, now)
  })
  return { token, credential }
}
