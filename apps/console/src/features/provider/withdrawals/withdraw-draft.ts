import type { AnswerOf } from '@farebox/client'
import type { Hex } from 'viem'
import { createLocalStore } from '../../../ui/state/local-store.ts'

export type Withdrawal = AnswerOf<'listWithdrawals'>['withdrawals'][number]
export type Ticket = NonNullable<Withdrawal['ticket']>

/** Why a withdrawal did not come about. */
type WithdrawEnd = 'REFUSED' | 'REJECTED' | 'CANCELLED'

/**
 * A withdrawal on its way, as the browser keeps it: each step is written down before and after it is taken, so that a
 * reload at any point finds out where it stands and goes on.
 */
export type WithdrawDraft = {
  /** Names it to the gateway: it is opened once, however often that is sent. */
  readonly key: string
  readonly amountUsdc: string
  readonly withdrawalId?: string
  readonly isReviewed?: true
  readonly ticket?: Ticket
  /** Its deadline has passed unused. */
  readonly isExpired?: true
  /** The wallet was asked to redeem it after this block, in decimal. */
  readonly askedAfter?: string
  readonly hash?: Hex
  /** Of the transaction, among those of the wallet. */
  readonly nonce?: number
  /** The vault has paid it. */
  readonly isPaid?: true
  readonly confirmations?: number
  readonly isCompleted?: true
  readonly end?: { readonly why: WithdrawEnd; readonly told: string }
}

/** The withdrawal that a wallet has on its way. */
export const drafts = createLocalStore<WithdrawDraft>('withdrawal', found => {
  const { key, amountUsdc } = (found ?? {}) as Partial<WithdrawDraft>
  return typeof key === 'string' && typeof amountUsdc === 'string'
})

/** Where a withdrawal stands. */
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
