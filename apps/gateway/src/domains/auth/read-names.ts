import type { Queryable } from '../../ports.ts'
import { readUsernames } from './store.ts'

/**
 * What wallets call themselves, in one query for a whole page of them.
 *
 * @param wallets in lower case, in any number of copies
 * @returns names by wallet; a wallet that never signed in is missing
 */
export async function readNames(
  db: Queryable,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(wallets)]
  return asked.length === 0 ? new Map() : readUsernames(db, asked)
}
