import { SECRETS_PER_WALLET_MAX } from '@farebox/wire/secrets'
import type { Deps } from '../../ports.ts'
import { type SecretRow, secretAt } from './rules.ts'
import { listLive, readClock } from './store.ts'

/**
 * Lists the provider secrets of an owner, newest first, without deleted ones. `captured` is of the current interval.
 */
export async function listSecrets(deps: Pick<Deps, 'db'>, owner: string): Promise<SecretRow[]> {
  const [rows, now] = await Promise.all([
    listLive(deps.db, { owner, limit: SECRETS_PER_WALLET_MAX }),
    readClock(deps.db),
  ])
  return rows.map(row => secretAt(row, now))
}
