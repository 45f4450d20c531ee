import type { Hex } from 'viem'
import type { Deps } from '../../ports.ts'
import { creditDeposits } from './credit-deposits.ts'
import { keepEvents } from './keep-events.ts'
import { type DepositEvidence, isBookable, judgeDeposit } from './rules.ts'
import { type DepositedEvent, type DepositRow, writeProgress, writeRejection } from './store.ts'

/** Maximum number of deposits that one run of {@link settleOverdueDeposits} checks. */
export const OVERDUE_PER_RUN_MAX = 100

/**
 * Advances a claim as far as the chain allows: reads the chain, then writes the result, including the credit.
 * Idempotent; may be called concurrently.
 *
 * @throws GatewayError UNAVAILABLE when the chain is unreachable; then nothing has changed
 */
export async function settleDeposit(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  deposit: DepositRow,
): Promise<void> {
  const { chain, db } = deps
  const { id, wallet, txHash } = deposit
  const { evidence, events } = await readEvidence(chain, txHash)
  const verdict = judgeDeposit(evidence, wallet, deposit.isOverdue)
  switch (verdict.kind) {
    case 'unknown':
      return
    case 'confirming':
      return writeProgress(db, id, verdict.confirmations)
    case 'rejected':
      return writeRejection(db, { id, confirmations: verdict.confirmations, reason: verdict.reason })
    case 'credited': {
      // Records the whole transaction, so that deposits of other wallets in it are attributed to them.
      await db.transaction(tx => keepEvents(deps, tx, events))
      const mine = events.filter(event => event.owner === wallet)
      await creditDeposits(deps, {
        chainId: chain.facts.chainId,
        wallet,
        txHash,
        confirmations: verdict.confirmations,
        events: mine,
      })
    }
  }
}

/** Reads the state of a transaction. Reads the block last, which shows whether the rest is still valid. */
async function readEvidence(
  chain: Deps['chain'],
  txHash: Hex,
): Promise<{ evidence: DepositEvidence; events: readonly DepositedEvent[] }> {
  const { requiredConfirmations } = chain.facts
  const [head, receipt] = await Promise.all([chain.head(), chain.receipt(txHash)])
  if (receipt === null) return { evidence: { head: head.number, requiredConfirmations, receipt }, events: [] }
  const { status, blockNumber, blockHash } = receipt
  const block = await chain.block(blockNumber)
  const events = receipt.events.filter(event => event.kind === 'deposited')
  const bookable = events.filter(event => isBookable(event.amount))
  const evidence: DepositEvidence = {
    head: head.number,
    requiredConfirmations,
    receipt: {
      status,
      blockNumber,
      isCanonical: block?.hash === blockHash,
      depositors: bookable.map(event => event.owner),
    },
  }
  return { evidence, events: bookable }
}
