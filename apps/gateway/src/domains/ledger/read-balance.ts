import { type Usdc, usdc, ZERO } from '@farebox/money'
import type { Queryable } from '../../ports.ts'
import { consumerAccount, providerAccount } from './rules.ts'
import { readAccounts, sumFeesPaid } from './store.ts'

/** A wallet's money in both of its roles, in micro-USDC. */
export type Balance = {
  /** Free to be spent on calls. */
  readonly consumerAvailable: Usdc
  /** Set aside for running calls. */
  readonly consumerHeld: Usdc
  /** Earned and free to be withdrawn. */
  readonly providerReceivable: Usdc
  /** Set aside for open withdrawals. */
  readonly providerLocked: Usdc
  /** Platform fees within what the wallet's calls have paid. */
  readonly feesPaid: Usdc
}

/** Reads the balance of a wallet. A wallet that never moved money has zeros. */
export async function readBalance(db: Queryable, wallet: string): Promise<Balance> {
  const ids = { consumer: consumerAccount(wallet), provider: providerAccount(wallet) }
  const [accounts, feesPaid] = await Promise.all([
    readAccounts(db, Object.values(ids)),
    sumFeesPaid(db, wallet),
  ])
  const empty = { posted: ZERO, reserved: ZERO }
  const consumer = accounts.get(ids.consumer) ?? empty
  const provider = accounts.get(ids.provider) ?? empty
  return {
    consumerAvailable: usdc(consumer.posted - consumer.reserved),
    consumerHeld: consumer.reserved,
    providerReceivable: usdc(provider.posted - provider.reserved),
    providerLocked: provider.reserved,
    feesPaid,
  }
}
