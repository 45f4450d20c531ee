import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { recordChange } from './record-change.ts'
import { type SecretRow, secretAt } from './rules.ts'
import { readClock, writeDeleted } from './store.ts'

const SECRET_ID = /^psec_[0-9a-z]{26}$/

/**
 * Deletes a provider secret, which is invalid from the response on. Its audit trail remains.
 *
 * @param key another owner's id is treated as unknown
 * @throws GatewayError SECRET_NOT_FOUND, also if it is already deleted
 */
export async function deleteSecret(
  deps: Pick<Deps, 'db' | 'ids'>,
  key: { owner: string; id: string },
): Promise<SecretRow> {
  if (!SECRET_ID.test(key.id)) throw new GatewayError('SECRET_NOT_FOUND')
  return deps.db.transaction(async tx => {
    const [row, now] = await Promise.all([writeDeleted(tx, key), readClock(tx)])
    if (row === undefined) throw new GatewayError('SECRET_NOT_FOUND')
    await recordChange(deps, tx, { owner: row.owner, secretId: row.id, action: 'deleted', detail: {} })
    return secretAt(row, now)
  })
}
