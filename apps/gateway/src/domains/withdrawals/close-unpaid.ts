import type { Deps, Tx } from '../../ports.ts'
import type { LockedBooks } from '../ledger/lock-books.ts'
import { announceWithdrawal } from './announce-withdrawal.ts'
import { releaseOf, type WithdrawalRow, writeClosed } from './store.ts'

/**
 * Closes a locked withdrawal without payment: posts the release of its money, which the caller writes, stores the new
 * state and announces it.
 *
 * @param books locked for {@link releaseOf} the withdrawal
 * @returns the closed withdrawal
 */
export async function closeUnpaid(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  books: LockedBooks,
  row: WithdrawalRow,
  closed: { status: 'CANCELLED' | 'REJECTED'; reason: string | null },
): Promise<WithdrawalRow> {
  if (!books.post(releaseOf(row))) throw new RangeError(`The books do not cover the withdrawal ${row.id}.`)
  const after = await writeClosed(tx, row.id, closed)
  await announceWithdrawal(deps, tx, after, row.status)
  return after
}
