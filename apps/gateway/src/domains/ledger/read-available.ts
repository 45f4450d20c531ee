import { type Usdc, usdc } from '@farebox/money'
import type { Queryable } from '../../ports.ts'
import { consumerAccount } from './rules.ts'
import { readAccounts } from './store.ts'

/** Returns what a wallet can spend on calls now, in micro-USDC. Reads one row, so agents may poll it. */
export async function readAvailable(db: Queryable, wallet: string): Promise<Usdc> {
  const id = consumerAccount(wallet)
  const account = (await readAccounts(db, [id])).get(id)
  return usdc(account === undefined ? 0n : account.posted - account.reserved)
}
