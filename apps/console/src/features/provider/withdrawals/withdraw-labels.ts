import { GatewayError } from '@farebox/client/errors'
import type { Tone } from '../../../ui/badge.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { WalletError } from '../../../wallet/errors.ts'
import type { Withdrawal } from './withdraw-draft.ts'

/** Why the vault rejects a ticket, by the names of its errors. */
const vaultReasons: Readonly<Record<string, string>> = {
  DailyCapExceeded:
    'The vault’s daily payout limit (its circuit breaker) is used up. Your ticket is valid until its deadline. Try again later, or let it expire to return the amount to your earnings.',
  EnforcedPause:
    'The operator has paused the vault. It makes no payouts until it is resumed. If your ticket expires before then, the amount returns to your earnings.',
  InvalidSignature:
    'The vault does not accept the signer of this ticket because the gateway’s key has changed. Let the ticket expire and withdraw again.',
  ERC20InsufficientBalance: 'The vault does not have enough USDC right now. Try again later.',
}

/** Describes an error of a withdrawal in progress. */
export function describeTrouble(error: unknown): string {
  if (error instanceof WalletError && error.problem === 'REVERTED' && error.reason !== null)
    return vaultReasons[error.reason] ?? error.message
  if (!(error instanceof GatewayError)) return describeError(error)
  if (error.code === 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE')
    return 'The chain cannot be reached to check whether the vault can pay this. Nothing is locked.'
  if (error.code === 'WITHDRAWAL_TX_MISMATCH')
    return `This transaction does not redeem the ticket (${String(error.detail.reason)}). Your funds are safe. The gateway will find the right transaction.`
  return describeError(error)
}

/** Describes why the gateway did not open a withdrawal. */
export function describeRefusal(error: GatewayError): string {
  const { receivableUsdc } = error.detail
  if (error.code === 'INSUFFICIENT_PROVIDER_RECEIVABLE')
    return typeof receivableUsdc === 'string'
      ? `You have ${formatAmount(receivableUsdc)} USDC to withdraw, which is less than this amount.`
      : 'You have less than this amount to withdraw.'
  if (error.code === 'WALLET_SUSPENDED')
    return 'This wallet is suspended. It cannot withdraw until the operator lifts the suspension.'
  return describeError(error)
}

/** Describes the end of a withdrawal that was not paid. */
export function describeEnd(status: 'REJECTED' | 'CANCELLED', reason: string | null): string {
  if (status === 'CANCELLED')
    return 'The ticket was not redeemed before its deadline. You can withdraw the amount again.'
  const said = reason === null ? '' : ` Reason: ${reason}`
  return `The operator of this gateway rejected the withdrawal. You can withdraw the amount again.${said}`
}

/** Why the gateway issued no ticket at once. */
const causes: Readonly<Record<Withdrawal['reviewCauses'][number], string>> = {
  vouchers: 'Part of the amount was earned from vouchers.',
  wallet_limit: 'The amount is above the daily limit of your wallet.',
  total_limit: 'The amount is above the daily limit of all wallets together.',
  vault_illiquid: 'The vault could not cover it at that time.',
  tickets_stopped: 'The gateway could not issue tickets at that time.',
}

/** Describes why a withdrawal waits for a review. */
export const describeReview = (found: Withdrawal['reviewCauses'] = []): string =>
  found.map(cause => causes[cause]).join(' ')

/**
 * Returns the label of a withdrawal's state, with an explanation.
 *
 * @param isSent this browser has sent the redemption
 */
export function standingOf(
  withdrawal: Withdrawal,
  isSent: boolean,
): {
  readonly label: string
  readonly tone: Tone
  readonly hint: string
} {
  switch (withdrawal.status) {
    case 'PENDING_REVIEW':
      return {
        label: 'In review',
        tone: 'info',
        hint: `${describeReview(withdrawal.reviewCauses)} The money is locked until the review.`.trimStart(),
      }
    case 'APPROVED_AUTO':
    case 'APPROVED_MANUAL':
      if (isSent) return { label: 'Confirming', tone: 'info', hint: 'The chain is confirming the payment.' }
      return {
        label: 'Ready to redeem',
        tone: 'warn',
        hint: 'Redeem the ticket with your wallet.',
      }
    case 'COMPLETED':
      return { label: 'Paid', tone: 'good', hint: 'The vault paid your wallet.' }
    case 'CANCELLED':
      return {
        label: 'Expired',
        tone: 'neutral',
        hint: 'The deadline passed and the amount was returned.',
      }
    case 'REJECTED':
      return { label: 'Rejected', tone: 'bad', hint: withdrawal.reason ?? 'The amount was returned.' }
  }
}
