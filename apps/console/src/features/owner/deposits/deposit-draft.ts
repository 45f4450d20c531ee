import type { Hex } from 'viem'
import { createLocalStore } from '../../../ui/state/local-store.ts'

/** A signature that lets the vault take the amount (EIP-2612). */
export type Permit = { readonly deadline: string; readonly signature: Hex }

/** Why a deposit will not come about. */
export type DepositEnd = 'REVERTED' | 'DROPPED' | 'REFUSED'

/**
 * A deposit on its way, as the browser keeps it: each step is written down before and after it is taken, so that a
 * reload at any point finds out where it stands and goes on.
 */
export type DepositDraft = {
  /** Names it to the gateway: the claim is made once, however often it is sent. */
  readonly key: string
  readonly amountUsdc: string
  /** Block after which its transactions are, in decimal. */
  readonly sinceBlock: string
  readonly way: 'permit' | 'approve'
  readonly permit?: Permit
  /** The wallet was asked to approve; with its transaction once it is known. */
  readonly approval?: { readonly hash?: Hex }
  /** The vault may take the amount. */
  readonly isAllowed?: true
  /** The wallet was asked to send the deposit. */
  readonly isAsked?: true
  readonly hash?: Hex
  /** Of the transaction, among those of the wallet. */
  readonly nonce?: number
  readonly isMined?: true
  readonly intentId?: string
  readonly confirmations?: number
  readonly isCredited?: true
  readonly end?: { readonly why: DepositEnd; readonly told: string }
}

/** The deposit that a wallet has on its way; another tab may carry it. */
export const drafts = createLocalStore<DepositDraft>('deposit', found => {
  const { key, amountUsdc } = (found ?? {}) as Partial<DepositDraft>
  return typeof key === 'string' && typeof amountUsdc === 'string'
})

/** Where a deposit stands. */
export type DepositStage = 'permission' | 'sending' | 'mining' | 'crediting' | 'credited' | 'ended'

export function stageOf(draft: DepositDraft): DepositStage {
  if (draft.end !== undefined) return 'ended'
  if (draft.isCredited) return 'credited'
  if (draft.isMined) return 'crediting'
  if (draft.hash !== undefined) return 'mining'
  return draft.isAllowed || draft.permit !== undefined ? 'sending' : 'permission'
}
