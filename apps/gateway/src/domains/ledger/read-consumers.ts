import type { Queryable } from '../../ports.ts'
import { type AccountState, consumerAccount, EMPTY_ACCOUNT } from './rules.ts'
import { readAccounts } from './store.ts'

/** Returns the consumer balances of wallets, by wallet. */
export async function readConsumers(
  db: Queryable,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, AccountState>> {
  const accounts = await readAccounts(db, wallets.map(consumerAccount))
  return new Map(wallets.map(wallet => [wallet, accounts.get(consumerAccount(wallet)) ?? EMPTY_ACCOUNT]))
}
