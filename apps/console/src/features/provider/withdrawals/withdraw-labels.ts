import { GatewayError } from '@farebox/client/errors'
import type { Tone } from '../../../ui/badge.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { WalletError } from '../../../wallet/errors.ts'
import type { Withdrawal } from './withdraw-draft.ts'

/** Why the vault rejects a ticket, by the names of its errors. */
const vaultReasons: Readonly<Record<string, string>> = {
  DailyCapExceeded:
    'The vault pays out only so much a day (its circuit breaker), and today’s part is used up. Your ticket stays good until its deadline: try again later, or let it run out, and the amount comes back to you here.',
  EnforcedPause:
    'The vault is paused by its operator: it pays nobody at the moment. If your ticket runs out meanwhile, the amount comes back to you here.',
  InvalidSignature:
    'The vault does not know who signed this ticket: the gateway’s key was changed after it. Let the ticket run out, and withdraw again.',
  ERC20InsufficientBalance: 'The vault does not have enough USDC right now. Try again a little later.',
}

/** Describes an error of a withdrawal in progress. */
export function describeTrouble(error: unknown): string {
  if (error instanceof WalletError && error.problem === 'REVERTED' && error.reason !== null)
    return vaultReasons[error.reason] ?? error.message
  if (!(error instanceof GatewayError)) return describeError(error)
  if (error.code === 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE')
    return 'The gateway cannot ask the chain right now whether the vault can pay this. Nothing is locked.'
  if (error.code === 'WITHDRAWAL_TX_MISMATCH')
    return `This transaction does not redeem the ticket (${String(error.detail.reason)}). Nothing is lost: the gateway finds the right one by itself.`
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
    return 'The ticket was not redeemed before its deadline. The amount is yours to withdraw again.'
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
        hint: 'A person looks at it first. The amount is locked meanwhile.',
      }
    case 'APPROVED_AUTO':
    case 'APPROVED_MANUAL':
      if (isSent) return { label: 'On its way', tone: 'info', hint: 'The chain is confirming its payment.' }
      return {
        label: 'To redeem',
        tone: 'warn',
        hint: 'Its ticket waits for you to redeem it with your wallet.',
      }
    case 'COMPLETED':
      return { label: 'Paid', tone: 'good', hint: 'The vault has paid it to your wallet.' }
    case 'CANCELLED':
      return {
        label: 'Expired',
        tone: 'neutral',
        hint: 'Its ticket was not redeemed in time; the amount came back.',
      }
    case 'REJECTED':
      return { label: 'Rejected', tone: 'bad', hint: withdrawal.reason ?? 'The amount came back.' }
  }
}
