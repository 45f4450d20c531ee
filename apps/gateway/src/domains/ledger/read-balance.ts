import { type Usdc, usdc } from '@farebox/money'
import type { Queryable } from '../../ports.ts'
import { consumerAccount, EMPTY_ACCOUNT, providerAccount } from './rules.ts'
import { readAccounts, sumFeesPaid } from './store.ts'

/** A wallet's money in both of its roles, in micro-USDC. */
export type Balance = {
  /** Free to be spent on calls. */
  readonly consumerAvailable: Usdc
  /** Set aside for running calls. */
  readonly consumerHeld: Usdc
  /** Earned and free to be withdrawn. */
  readonly providerReceivable: Usdc
  /** The part of it that was earned from promotional credit. */
  readonly providerPromotional: Usdc
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
  const consumer = accounts.get(ids.consumer) ?? EMPTY_ACCOUNT
  const provider = accounts.get(ids.provider) ?? EMPTY_ACCOUNT
  return {
    consumerAvailable: usdc(consumer.posted - consumer.reserved),
    consumerHeld: consumer.reserved,
    providerReceivable: usdc(provider.posted - provider.reserved),
    providerPromotional: provider.promotional,
    providerLocked: provider.reserved,
    feesPaid,
  }
}
