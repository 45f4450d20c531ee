import type { Deps, WithdrawnEvent } from '../../ports.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { announceWithdrawal } from './announce-withdrawal.ts'
import { writeRedemption } from './redemption-store.ts'
import { mayBecome } from './rules.ts'
import {
  isBoundElsewhere,
  lockWithdrawal,
  redemptionHash,
  type WithdrawalRow,
  writeCompleted,
} from './store.ts'

/** Result of {@link recordRedemption}. */
export type RedemptionOutcome = 'completed' | 'bound elsewhere' | 'not open'

/**
 * Records a redemption, closes the withdrawal that the vault paid by it, and removes the locked earnings from the books.
 * Idempotent.
 *
 * Lock order: accounts, then the record. The vault's own account is among them, so of two withdrawals that compete for
 * one transaction the second sees that it is bound; a unique index also enforces this.
 *
 * @param redeemed from a confirmed block, and compared with the ticket
 * @param options.mustBind refuse to close without a transaction of its own. A transaction that redeems several tickets
 * is bound to the first
 */
export async function recordRedemption(
  deps: Pick<Deps, 'db' | 'ids' | 'chain'>,
  withdrawal: WithdrawalRow,
  redeemed: WithdrawnEvent,
  options: { mustBind: boolean },
): Promise<RedemptionOutcome> {
  const { id, wallet, source, amount } = withdrawal
  const { txHash } = redeemed
  const movement = { kind: 'withdrawal-paid', wallet, source, amount, reference: id } as const
  return deps.db.transaction(async tx => {
    const books = await lockBooks(tx, [movement])
    const row = await lockWithdrawal(tx, id)
    if (redemptionHash(row) === txHash) return 'completed'
    if (!mayBecome(row.status, 'COMPLETED')) return 'not open'
    const isBound = !(await isBoundElsewhere(tx, txHash, id))
    if (!isBound && options.mustBind) return 'bound elsewhere'
    if (!books.post(movement)) throw new RangeError(`The books do not cover the redeemed withdrawal ${id}.`)
    await books.write()
    await writeRedemption(tx, deps.chain.facts, redeemed)
    const completed = await writeCompleted(tx, id, { ...redeemed, isBound })
    await announceWithdrawal(deps, tx, completed, row.status)
    return 'completed'
  })
}
