import { formatUsdc, ZERO } from '@farebox/money'
import type { DepositIntent } from '@farebox/wire/deposits'
import type { ChainFacts } from '../../ports.ts'
import { eventKey } from './rules.ts'
import type { DepositRow } from './store.ts'

/** Formats a deposit for a response. */
export function presentDeposit(row: DepositRow, facts: ChainFacts): DepositIntent {
  const { id, status, txHash, claimed, credited, logIndex } = row
  const isOtherAmount = credited !== null && claimed !== null && credited !== claimed
  return {
    id,
    intentId: id,
    depositIntentId: id,
    status,
    tx_hash: txHash,
    txHash,
    eventKey: logIndex === null ? null : eventKey({ chainId: facts.chainId, txHash, logIndex }),
    amountUsdc: formatUsdc(credited ?? claimed ?? ZERO),
    ...(isOtherAmount && { claimedAmountUsdc: formatUsdc(claimed) }),
    confirmations: row.confirmations,
    requiredConfirmations: facts.requiredConfirmations,
    ...(row.reason !== null && { reason: row.reason }),
    createdAt: row.createdAt.toISOString(),
  }
}
