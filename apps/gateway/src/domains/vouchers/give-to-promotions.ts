import type { Usdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { insertFunding } from './store.ts'

/**
 * Moves money of a wallet to the promotions account.
 *
 * @param input.amount micro-USDC, more than zero
 * @throws RangeError when the wallet's balance is too low
 */
export async function giveToPromotions(
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
  input: { wallet: string; amount: Usdc },
): Promise<void> {
  const { wallet, amount } = input
  const reference = ids.next('vcf')
  await db.transaction(async tx => {
    const funding = { kind: 'promotion-funding', wallet, amount, reference } as const
    const books = await lockBooks(tx, [funding])
    const promotional = books.promotionalOf(funding)
    if (!books.post(funding)) throw new RangeError(`The balance of ${wallet} does not cover the promotions.`)
    await Promise.all([books.write(), insertFunding(tx, { id: reference, wallet, amount, promotional })])
  })
}
