import { minUsdc, type Usdc, usdc } from '@farebox/money'
import type { RedemptionMismatch, WithdrawalStatus } from '@farebox/wire/withdrawals'

/** The states of a withdrawal and the ways between them. Money is locked in every state that has a way on. */
export const NEXT: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
  PENDING_REVIEW: ['APPROVED_MANUAL', 'REJECTED'],
  APPROVED_AUTO: ['COMPLETED', 'CANCELLED'],
  APPROVED_MANUAL: ['COMPLETED', 'CANCELLED'],
  COMPLETED: [],
  CANCELLED: [],
  REJECTED: [],
}

/** Whether a withdrawal may go from one state to another. */
export const mayBecome = (from: WithdrawalStatus, to: WithdrawalStatus): boolean => NEXT[from].includes(to)

/** States in which a ticket is out and may be redeemed. */
export const TICKET_IS_OUT: readonly WithdrawalStatus[] = ['APPROVED_AUTO', 'APPROVED_MANUAL']

/** Whether a ticket is out and may be redeemed. */
export const isTicketOut = (status: WithdrawalStatus): boolean => TICKET_IS_OUT.includes(status)

/** What the vault says it can pay, as of one block. Micro-USDC. */
export type VaultFunds = {
  readonly balance: Usdc
  /** What its circuit breaker lets out. */
  readonly withdrawable: Usdc
}

/**
 * What may be promised by one more ticket, in micro-USDC; not below zero.
 *
 * @param promised amounts of tickets that the vault's figures do not show as paid yet
 */
export function liquidity(vault: VaultFunds, promised: Usdc): Usdc {
  const free = minUsdc(vault.balance, vault.withdrawable) - promised
  return usdc(free > 0n ? free : 0n)
}

/**
 * Whether a withdrawal gets its ticket at once: only when earnings from deposited money cover all of it.
 *
 * @param asked.promotional what earnings from promotional credit must pay of it
 * @param asked.approvedToday what all wallets have been given tickets for without a review on this UTC day
 * @param asked.openedToday what this wallet has opened before on this UTC day and what counts towards the limit
 * @param asked.isTicketing false while no ticket may be issued at all
 */
export function decideOpening(asked: {
  amount: Usdc
  promotional: Usdc
  openedToday: Usdc
  autoApproveMax: Usdc
  approvedToday: Usdc
  autoApproveTotal: Usdc
  liquidity: Usdc
  isTicketing: boolean
}): 'APPROVED_AUTO' | 'PENDING_REVIEW' {
  const isWithinLimit =
    asked.openedToday + asked.amount <= asked.autoApproveMax &&
    asked.approvedToday + asked.amount <= asked.autoApproveTotal
  const isLiquid = asked.amount <= asked.liquidity
  const isOfDeposits = asked.promotional === 0n
  return isOfDeposits && isWithinLimit && isLiquid && asked.isTicketing ? 'APPROVED_AUTO' : 'PENDING_REVIEW'
}

/** The vault's word that it paid a ticket. */
export type Redemption = {
  readonly to: string
  readonly amount: Usdc
  readonly nonce: string
  readonly logIndex: number
}

/**
 * Finds the redemption of a ticket among what the vault said in a transaction that succeeded.
 *
 * @returns the redemption, or in what the transaction differs from one
 */
export function findRedemption<Event extends Redemption>(
  events: readonly Event[],
  ticket: { wallet: string; amount: Usdc; nonce: string },
): { event: Event } | { mismatch: RedemptionMismatch } {
  if (events.length === 0) return { mismatch: 'no_withdrawn_event' }
  const event = events.find(({ nonce }) => nonce === ticket.nonce)
  if (event === undefined) return { mismatch: 'wrong_nonce' }
  if (event.to !== ticket.wallet) return { mismatch: 'wrong_recipient' }
  if (event.amount !== ticket.amount) return { mismatch: 'wrong_amount' }
  return { event }
}

/** How the books explain what the vault paid. */
export type Explanation =
  /** The ticket is out: the payment closes its withdrawal. */
  | 'pays'
  /** It is booked already. */
  | 'booked'
  /** It is booked, and a reorganisation has put it into another transaction or log since. */
  | 'moved'
  /** Nothing explains it. */
  | { readonly unexplained: 'unknown_nonce' | 'withdrawal_closed' | RedemptionMismatch }

/**
 * Explains a redemption by the withdrawal of its nonce, or by its adoption.
 *
 * @param withdrawal undefined when there is none of this nonce; `redeemedIn` is null until it is completed
 * @param adopted what an admin booked for this nonce; null when nothing
 */
export function explainRedemption(
  event: Redemption & { readonly redeemedIn: string },
  withdrawal:
    | { wallet: string; amount: Usdc; nonce: string; status: WithdrawalStatus; redeemedIn: string | null }
    | undefined,
  adopted: { readonly amount: Usdc; readonly recipient: string } | null,
): Explanation {
  if (adopted !== null && adopted.amount === event.amount && adopted.recipient === event.to) return 'booked'
  if (withdrawal === undefined) return { unexplained: 'unknown_nonce' }
  const found = findRedemption([event], withdrawal)
  if ('mismatch' in found) return { unexplained: found.mismatch }
  if (isTicketOut(withdrawal.status)) return 'pays'
  if (withdrawal.redeemedIn === null) return { unexplained: 'withdrawal_closed' }
  return withdrawal.redeemedIn === event.redeemedIn ? 'booked' : 'moved'
}

/** How many blocks confirm a block; its own is the first. */
export function confirmationsAt(head: bigint, blockNumber: bigint): number {
  return head < blockNumber ? 0 : Number(head - blockNumber + 1n)
}

/** Whether a ticket is past its deadline at a block: in its last second it can still be redeemed. */
export function isStale(deadline: bigint, blockTimestamp: bigint): boolean {
  return blockTimestamp > deadline
}
