import type { Deps } from '../../ports.ts'
import { readMined } from '../ledger/read-mined.ts'
import { creditDeposits } from './credit-deposits.ts'
import { bookableDeposits, keepEvents } from './keep-events.ts'
import { judgeDeposit } from './rules.ts'
import { type DepositRow, writeProgress, writeRejection } from './store.ts'

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
  const mined = await readMined(chain, txHash)
  const events = mined === null ? [] : bookableDeposits(mined.receipt.events)
  const evidence = {
    requiredConfirmations: chain.facts.requiredConfirmations,
    mined: mined && {
      status: mined.receipt.status,
      isCanonical: mined.isCanonical,
      confirmations: mined.confirmations,
      depositors: events.map(({ owner }) => owner),
    },
  }
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
