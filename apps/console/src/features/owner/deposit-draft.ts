import { useSyncExternalStore } from 'react'
import type { Hex } from 'viem'

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

const keyOf = (address: string) => `farebox.deposit.${address.toLowerCase()}`
const listeners = new Set<() => void>()
const parsed = new Map<string, { text: string; draft: DepositDraft }>()

window.addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith('farebox.deposit.')) for (const listener of listeners) listener()
})

/** The deposit that a wallet has on its way, or null. The same object as long as nothing has changed. */
export function readDraft(address: string): DepositDraft | null {
  const key = keyOf(address)
  const text = localStorage.getItem(key)
  if (text === null) return null
  const known = parsed.get(key)
  if (known?.text === text) return known.draft
  try {
    const draft = JSON.parse(text) as DepositDraft
    if (typeof draft.amountUsdc !== 'string' || typeof draft.key !== 'string') return null
    parsed.set(key, { text, draft })
    return draft
  } catch {
    return null
  }
}

/** Writes it down, or forgets it with null; every tab hears of it. */
export function keepDraft(address: string, draft: DepositDraft | null): void {
  if (draft === null) localStorage.removeItem(keyOf(address))
  else localStorage.setItem(keyOf(address), JSON.stringify(draft))
  for (const listener of listeners) listener()
}

function watchDrafts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The deposit that a wallet has on its way, from whichever tab. */
export function useDraft(address: string): DepositDraft | null {
  return useSyncExternalStore(watchDrafts, () => readDraft(address))
}

/** Where a deposit stands. */
export type DepositStage = 'permission' | 'sending' | 'mining' | 'crediting' | 'credited' | 'ended'

export function stageOf(draft: DepositDraft): DepositStage {
  if (draft.end !== undefined) return 'ended'
  if (draft.isCredited) return 'credited'
  if (draft.isMined) return 'crediting'
  if (draft.hash !== undefined) return 'mining'
  return draft.isAllowed || draft.permit !== undefined ? 'sending' : 'permission'
}
