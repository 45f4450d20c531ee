import { GatewayError } from '@farebox/wire/errors'
import { parseTxHash, type TxHash } from '@farebox/wire/tx-hash'
import type { WithdrawalStatus } from '@farebox/wire/withdrawals'
import type { Chain, Deps, WithdrawnEvent } from '../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { readMined } from '../ledger/read-mined.ts'
import { recordRedemption } from './record-redemption.ts'
import { findRedemption, isTicketOut } from './rules.ts'
import { findWithdrawal, isBoundElsewhere, redemptionHash, type WithdrawalRow } from './store.ts'

/**
 * Closes a withdrawal by the transaction that redeemed its ticket, and binds the transaction to it. Repeating the
 * request returns the same answer; no other withdrawal can use the transaction.
 *
 * @param input.txHash as sent by the client
 * @returns the hash, in lower case
 * @throws GatewayError, checked in this order: INVALID_TX_HASH; WITHDRAWAL_NOT_FOUND; WITHDRAWAL_NOT_OPEN with `status`
 * when no ticket is out; TX_HASH_REPLAY when the transaction is bound to another withdrawal;
 * WITHDRAWAL_TX_NOT_CONFIRMED; WITHDRAWAL_TX_MISMATCH with `reason`; and UNAVAILABLE when the chain is unreachable.
 * Nothing changes then
 */
export async function completeWithdrawal(
  deps: Pick<Deps, 'db' | 'chain' | 'ids'>,
  input: { wallet: string; withdrawalId: string; txHash: unknown },
): Promise<{ txHash: TxHash }> {
  const txHash = parseTxHash(input.txHash)
  const row = await findWithdrawal(deps.db, { id: input.withdrawalId, wallet: input.wallet })
  if (row === undefined) throw new GatewayError('WITHDRAWAL_NOT_FOUND')
  if (redemptionHash(row) === txHash) return { txHash }
  if (!isTicketOut(row.status)) throw notOpen(row)
  if (await isBoundElsewhere(deps.db, txHash, row.id)) throw new GatewayError('TX_HASH_REPLAY')

  const redeemed = await readRedemption(deps.chain, row, txHash)
  const outcome = await recordRedemption(deps, row, redeemed, { mustBind: true })
  if (outcome === 'bound elsewhere') throw new GatewayError('TX_HASH_REPLAY')
  if (outcome === 'not open') throw notOpen((await findWithdrawal(deps.db, { id: row.id })) ?? row)
  return { txHash }
}

/**
 * Returns the redemption of the ticket of a withdrawal by a transaction, confirmed and on the chain.
 *
 * @throws GatewayError WITHDRAWAL_TX_NOT_CONFIRMED, WITHDRAWAL_TX_MISMATCH
 */
async function readRedemption(chain: Chain, row: WithdrawalRow, txHash: TxHash): Promise<WithdrawnEvent> {
  const { requiredConfirmations } = chain.facts
  const mined = await readMined(chain, txHash)
  const confirmations = mined?.confirmations ?? 0
  if (mined === null || confirmations < requiredConfirmations)
    throw notConfirmed(confirmations, requiredConfirmations)

  const { receipt } = mined
  if (receipt.status === 'reverted') throw new GatewayError('WITHDRAWAL_TX_MISMATCH', { reason: 'reverted' })
  const events = receipt.events.filter(event => event.kind === 'withdrawn')
  const found = findRedemption(events, row)
  if ('mismatch' in found) throw new GatewayError('WITHDRAWAL_TX_MISMATCH', { reason: found.mismatch })
  return found.event
}

/** Messages for withdrawals that cannot be completed in their status. */
const NOT_OPEN: Readonly<Partial<Record<WithdrawalStatus, string>>> = {
  PENDING_REVIEW: 'The withdrawal is under review: it has no ticket yet.',
  COMPLETED: 'The withdrawal was already paid by another transaction.',
  CANCELLED: 'The ticket expired unused and its amount is unlocked. Open another withdrawal.',
  REJECTED: 'The withdrawal was rejected and its amount is unlocked.',
}

function notOpen({ id, status }: WithdrawalRow): GatewayError {
  const message = NOT_OPEN[status]
  return new GatewayError(
    'WITHDRAWAL_NOT_OPEN',
    { withdrawalId: id, status },
    message === undefined ? {} : { message },
  )
}

function notConfirmed(confirmations: number, requiredConfirmations: number): GatewayError {
  return new GatewayError(
    'WITHDRAWAL_TX_NOT_CONFIRMED',
    { confirmations, requiredConfirmations },
    { retryAfterSeconds: RETRY_AFTER_SECONDS.pending },
  )
}
