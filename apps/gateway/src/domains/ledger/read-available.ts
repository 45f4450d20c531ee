import { type Usdc, usdc } from '@farebox/money'
import type { Queryable } from '../../ports.ts'
import { consumerAccount } from './rules.ts'
import { readAccounts } from './store.ts'

/** What a wallet may spend on calls now, in micro-USDC: one row is read, so that agents may ask as often as they like. */
export async function readAvailable(db: Queryable, wallet: string): Promise<Usdc> {
  const id = consumerAccount(wallet)
  const account = (await readAccounts(db, [id])).get(id)
  return usdc(account === undefined ? 0n : account.posted - account.reserved)
}
