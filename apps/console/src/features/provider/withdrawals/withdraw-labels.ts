import { GatewayError } from '@farebox/client/errors'
import type { Tone } from '../../../ui/badge.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { WalletError } from '../../../wallet/errors.ts'
import type { Withdrawal } from './withdraw-draft.ts'

/** Why the vault rejects a ticket, by the names of its errors. */
const vaultReasons: Readonly<Record<string, string>> = {
  DailyCapExceeded:
    'The vault’s daily payout limit (its circuit breaker) is used up. Your ticket is valid until its deadline: try again later, or let it expire, and the amount returns to your earnings.',
  EnforcedPause:
    'The operator has paused the vault: it pays nothing at the moment. If your ticket expires meanwhile, the amount returns to your earnings.',
  InvalidSignature:
    'The vault does not accept the signer of this ticket: the gateway’s key was changed. Let the ticket expire and withdraw again.',
  ERC20InsufficientBalance: 'The vault does not have enough USDC right now. Try again a little later.',
}

/** Describes an error of a withdrawal in progress. */
export function describeTrouble(error: unknown): string {
  if (error instanceof WalletError && error.problem === 'REVERTED' && error.reason !== null)
    return vaultReasons[error.reason] ?? error.message
  if (!(error instanceof GatewayError)) return describeError(error)
  if (error.code === 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE')
    return 'The chain cannot be reached to check whether the vault can pay this. Nothing is locked.'
  if (error.code === 'WITHDRAWAL_TX_MISMATCH')
    return `This transaction does not redeem the ticket (${String(error.detail.reason)}). Nothing is lost: the gateway finds the right one.`
  return describeError(error)
}

/** Describes why the gateway did not open a withdrawal. */
export function describeRefusal(error: GatewayError): string {
  const { receivableUsdc } = error.detail
  if (error.code === 'INSUFFICIENT_PROVIDER_RECEIVABLE')
    return typeof receivableUsdc === 'string'
      ? `You have ${formatAmount(receivableUsdc)} USDC to withdraw, which is less than this.`
      : 'You have less than this to withdraw.'
  if (error.code === 'WALLET_SUSPENDED')
    return 'This wallet is suspended: it cannot withdraw until the operator lifts the suspension.'
  return describeError(error)
}

/** Describes the end of a withdrawal that was not paid. */
export function describeEnd(status: 'REJECTED' | 'CANCELLED', reason: string | null): string {
  if (status === 'CANCELLED')
    return 'The ticket was not redeemed before its deadline. You can withdraw the amount again.'
  const said = reason === null ? '' : ` Reason: ${reason}`
  return `The operator of this gateway has rejected it, and the amount is yours to withdraw again.${said}`
}

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
        hint: 'Waiting for a review. The amount is locked meanwhile.',
      }
    case 'APPROVED_AUTO':
    case 'APPROVED_MANUAL':
      if (isSent) return { label: 'On its way', tone: 'info', hint: 'The chain is confirming its payment.' }
      return {
        label: 'To redeem',
        tone: 'warn',
        hint: 'Redeem its ticket with your wallet.',
      }
    case 'COMPLETED':
      return { label: 'Paid', tone: 'good', hint: 'Paid by the vault to your wallet.' }
    case 'CANCELLED':
      return {
        label: 'Expired',
        tone: 'neutral',
        hint: 'Its deadline passed; the amount was returned.',
      }
    case 'REJECTED':
      return { label: 'Rejected', tone: 'bad', hint: withdrawal.reason ?? 'The amount was returned.' }
  }
}
