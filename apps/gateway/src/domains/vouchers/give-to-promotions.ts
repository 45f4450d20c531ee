import type { Usdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { postMovements } from '../ledger/post-movements.ts'
import { insertFunding } from './store.ts'

/**
 * Moves money of a wallet to what promotions hold.
 *
 * @param input.amount micro-USDC, more than zero
 * @throws RangeError when the wallet does not have it
 */
export async function giveToPromotions(
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
  input: { wallet: string; amount: Usdc },
): Promise<void> {
  const { wallet, amount } = input
  const reference = ids.next('vcf')
  await db.transaction(async tx => {
    const [isPosted] = await postMovements(tx, [{ kind: 'promotion-funding', wallet, amount, reference }])
    if (isPosted !== true) throw new RangeError(`The balance of ${wallet} does not cover the promotions.`)
    await insertFunding(tx, { id: reference, wallet, amount })
  })
}
