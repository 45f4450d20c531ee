import type { AnswerOf } from '@farebox/client'
import type { Hex } from 'viem'
import { createLocalStore } from '../../../ui/state/local-store.ts'

export type Withdrawal = AnswerOf<'listWithdrawals'>['withdrawals'][number]
export type Ticket = NonNullable<Withdrawal['ticket']>

/** Why a withdrawal failed. */
type WithdrawEnd = 'REFUSED' | 'REJECTED' | 'CANCELLED'

/**
 * The stored state of a withdrawal. It is written before and after each step, so that a reload at any point can
 * resume it.
 */
export type WithdrawDraft = {
  /** Idempotency key of the withdrawal. */
  readonly key: string
  readonly amountUsdc: string
  readonly withdrawalId?: string
  readonly isReviewed?: true
  readonly reviewCauses?: Withdrawal['reviewCauses']
  readonly ticket?: Ticket
  /** The deadline has passed without a redemption. */
  readonly isExpired?: true
  /** Block after which the wallet was asked to redeem the ticket, in decimal. */
  readonly askedAfter?: string
  readonly hash?: Hex
  /** Nonce of the transaction. */
  readonly nonce?: number
  /** The vault has paid it. */
  readonly isPaid?: true
  readonly confirmations?: number
  readonly isCompleted?: true
  readonly end?: { readonly why: WithdrawEnd; readonly reported: string }
}

/** The withdrawal in progress of each wallet. */
export const drafts = createLocalStore<WithdrawDraft>('withdrawal', found => {
  const { key, amountUsdc } = (found ?? {}) as Partial<WithdrawDraft>
  return typeof key === 'string' && typeof amountUsdc === 'string'
})

/** Stage of a withdrawal. */
export type WithdrawStage =
  | 'opening'
  | 'review'
  | 'expired'
  | 'redeeming'
  | 'mining'
  | 'confirming'
  | 'completed'
  | 'ended'

export function stageOf(draft: WithdrawDraft): WithdrawStage {
  if (draft.end !== undefined) return 'ended'
  if (draft.isCompleted) return 'completed'
  if (draft.isPaid) return 'confirming'
  if (draft.withdrawalId === undefined) return 'opening'
  if (draft.ticket === undefined) return 'review'
  if (draft.hash !== undefined) return 'mining'
  return draft.isExpired ? 'expired' : 'redeeming'
}
