import type { Queryable } from '../../ports.ts'
import { type Named, readUsernames } from './store.ts'

/**
 * Returns how wallets are shown to others, in one query.
 *
 * @param wallets in lower case; may contain duplicates
 * @returns names by wallet; wallets that never signed in are missing
 */
export async function readNames(
  db: Queryable,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, Named>> {
  const asked = [...new Set(wallets)]
  return asked.length === 0 ? new Map() : readUsernames(db, asked)
}
