import { formatUsdc } from '@farebox/money'
import type { WithdrawalStatus } from '@farebox/wire/withdrawals'
import type { Deps, Tx } from '../../ports.ts'
import { announce } from '../webhooks/announce.ts'
import { redemptionHash, type WithdrawalRow } from './store.ts'

/**
 * Tells the owner of a withdrawal that it has another status, in the transaction that gives it. Never the ticket: it is
 * for whoever asks with the owner's session.
 *
 * @param previousStatus null when it was opened just now
 */
export async function announceWithdrawal(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  row: WithdrawalRow,
  previousStatus: WithdrawalStatus | null,
): Promise<void> {
  const data = {
    withdrawalId: row.id,
    amountUsdc: formatUsdc(row.amount),
    status: row.status,
    previousStatus,
    txHash: redemptionHash(row),
    reason: row.review_reason,
  }
  await announce(deps, tx, [{ owner: row.wallet, type: 'withdrawal.updated', data }])
}
