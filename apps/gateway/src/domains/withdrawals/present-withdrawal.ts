import { formatUsdc } from '@farebox/money'
import type { Withdrawal, WithdrawalTicket } from '@farebox/wire/withdrawals'
import { getAddress } from 'viem'
import { isTicketOut } from './rules.ts'
import { redemptionHash, type WithdrawalRow } from './store.ts'

/** Formats a withdrawal for a response. */
export function presentWithdrawal(row: WithdrawalRow): Withdrawal {
  return {
    withdrawalId: row.id,
    intentId: row.id,
    amountUsdc: formatUsdc(row.amount),
    promotionalUsdc: formatUsdc(row.promotional),
    source: row.source,
    status: row.status,
    statusLabel: row.status,
    ticket: presentTicket(row),
    txHash: redemptionHash(row),
    reason: row.reviewReason,
    reviewCauses: [...row.reviewCauses],
    createdAt: row.openedAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/**
 * Returns the ticket of a withdrawal in the form that `FareboxVault.withdraw` and its signature require; null unless it
 * can be redeemed.
 */
export function presentTicket(row: WithdrawalRow): WithdrawalTicket | null {
  const { id, wallet, amount, nonce, chainId, vault, deadline, signature } = row
  if (
    !isTicketOut(row.status) ||
    chainId === null ||
    vault === null ||
    deadline === null ||
    signature === null
  )
    return null
  return {
    to: getAddress(wallet),
    amount: amount.toString(),
    deadline: Number(deadline),
    withdrawalId: id,
    nonce,
    vault: getAddress(vault),
    chainId: Number(chainId),
    signature,
  }
}
