import type { Queryable } from '../../ports.ts'
import { findMailAddresses } from './store.ts'

/** Returns the verified addresses of those wallets that want mail about events, by wallet in lower case. */
export async function mailAddresses(
  db: Queryable,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await findMailAddresses(db, wallets)
  return new Map(rows.map(({ wallet, email }) => [wallet, email]))
}
