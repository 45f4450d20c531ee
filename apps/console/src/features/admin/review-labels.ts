import type { AnswerOf } from '@farebox/client'
import type { Tone } from '../../ui/badge.tsx'

export type Withdrawal = AnswerOf<'listAllWithdrawals'>['withdrawals'][number]

/** Labels of the states of a withdrawal. */
export const states: Record<Withdrawal['status'], { readonly label: string; readonly tone: Tone }> = {
  PENDING_REVIEW: { label: 'Waiting for review', tone: 'warn' },
  APPROVED_AUTO: { label: 'Approved by rule', tone: 'info' },
  APPROVED_MANUAL: { label: 'Approved', tone: 'info' },
  COMPLETED: { label: 'Paid out', tone: 'good' },
  CANCELLED: { label: 'Expired', tone: 'neutral' },
  REJECTED: { label: 'Rejected', tone: 'bad' },
}

/** Why a withdrawal got no ticket at once: a label for lists, and a sentence. */
export const causes: Record<
  Withdrawal['reviewCauses'][number],
  { readonly label: string; readonly sentence: string }
> = {
  vouchers: { label: 'Vouchers', sentence: 'Part of the amount was earned from vouchers.' },
  wallet_limit: { label: 'Wallet limit', sentence: 'The amount is above the daily limit of its wallet.' },
  total_limit: {
    label: 'Global limit',
    sentence: 'The amount is above the daily limit of all wallets together.',
  },
  vault_illiquid: {
    label: 'Vault',
    sentence: 'The vault could not cover it in addition to the open tickets.',
  },
  tickets_stopped: {
    label: 'Tickets paused',
    sentence: 'No tickets could be issued because of a problem with the books, the chain or the signer.',
  },
}

/** Returns whether nothing was ever paid to the wallet of a withdrawal. */
export const isFirst = ({ walletHistory, source }: Withdrawal): boolean =>
  walletHistory.paid === 0 && source === 'earnings'
