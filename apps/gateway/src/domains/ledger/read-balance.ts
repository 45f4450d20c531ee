import { type Usdc, usdc } from '@farebox/money'
import type { Queryable } from '../../ports.ts'
import { consumerAccount, EMPTY_ACCOUNT, providerAccount } from './rules.ts'
import { readAccounts, sumFeesPaid } from './store.ts'

/** Balances of a wallet as consumer and provider, in micro-USDC. */
export type Balance = {
  /** Available for calls. */
  readonly consumerAvailable: Usdc
  /** Held for calls in flight. */
  readonly consumerHeld: Usdc
  /** Earned and available for withdrawal. */
  readonly providerReceivable: Usdc
  /** Part of it that was earned from promotional credit. */
  readonly providerPromotional: Usdc
  /** Locked for open withdrawals. */
  readonly providerLocked: Usdc
  /** Platform fees included in what the wallet's calls have paid. */
  readonly feesPaid: Usdc
}

/** Returns the balances of a wallet; zeros for a wallet without accounts. */
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
