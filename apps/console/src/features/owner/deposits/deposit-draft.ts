import type { Hex } from 'viem'
import { createLocalStore } from '../../../ui/state/local-store.ts'

/** A signature that lets the vault take the amount (EIP-2612). */
export type Permit = { readonly deadline: string; readonly signature: Hex }

/** Why a deposit failed. */
export type DepositEnd = 'REVERTED' | 'DROPPED' | 'REFUSED'

/**
 * The stored state of a deposit. It is written before and after each step, so that a reload at any point can resume
 * it.
 */
export type DepositDraft = {
  /** Idempotency key of the claim. */
  readonly key: string
  readonly amountUsdc: string
  /** Block before the first transaction, in decimal. */
  readonly sinceBlock: string
  readonly way: 'permit' | 'approve'
  readonly permit?: Permit
  /** The wallet was asked to approve; with the hash once it is known. */
  readonly approval?: { readonly hash?: Hex }
  /** The allowance suffices. */
  readonly isAllowed?: true
  /** The wallet was asked to send the deposit. */
  readonly isAsked?: true
  readonly hash?: Hex
  /** Nonce of the transaction. */
  readonly nonce?: number
  readonly isMined?: true
  readonly intentId?: string
  readonly confirmations?: number
  readonly isCredited?: true
  readonly end?: { readonly why: DepositEnd; readonly reported: string }
}

/** The deposit in progress of each wallet; another tab may run it. */
export const drafts = createLocalStore<DepositDraft>('deposit', found => {
  const { key, amountUsdc } = (found ?? {}) as Partial<DepositDraft>
  return typeof key === 'string' && typeof amountUsdc === 'string'
})

/** Stage of a deposit. */
export type DepositStage = 'permission' | 'sending' | 'mining' | 'crediting' | 'credited' | 'ended'

export function stageOf(draft: DepositDraft): DepositStage {
  if (draft.end !== undefined) return 'ended'
  if (draft.isCredited) return 'credited'
  if (draft.isMined) return 'crediting'
  if (draft.hash !== undefined) return 'mining'
  return draft.isAllowed || draft.permit !== undefined ? 'sending' : 'permission'
}
