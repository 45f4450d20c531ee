import { formatUsdc } from '@farebox/money'
import type { WithdrawalStatus } from '@farebox/wire/withdrawals'
import type { Deps, Tx } from '../../ports.ts'
import { announce } from '../webhooks/announce.ts'
import { redemptionHash, type WithdrawalRow } from './store.ts'

/**
 * Announces a new status of a withdrawal to the owner's webhooks, in the transaction of the change. Never includes the
 * ticket, which requires the owner's session.
 *
 * @param previousStatus null for a new withdrawal
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
    reason: row.reviewReason,
  }
  await announce(deps, tx, [{ owner: row.wallet, type: 'withdrawal.updated', data }])
}
