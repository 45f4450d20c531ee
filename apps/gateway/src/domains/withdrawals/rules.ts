import { minUsdc, type Usdc, usdc } from '@farebox/money'
import {
  REVIEW_CAUSES,
  type RedemptionMismatch,
  type ReviewCause,
  type WithdrawalStatus,
} from '@farebox/wire/withdrawals'

/** States of a withdrawal and their transitions. Money is locked in every state that is not final. */
export const NEXT: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
  PENDING_REVIEW: ['APPROVED_MANUAL', 'REJECTED'],
  APPROVED_AUTO: ['COMPLETED', 'CANCELLED'],
  APPROVED_MANUAL: ['COMPLETED', 'CANCELLED'],
  COMPLETED: [],
  CANCELLED: [],
  REJECTED: [],
}

/** Returns true if a withdrawal may change from one state to another. */
export const mayBecome = (from: WithdrawalStatus, to: WithdrawalStatus): boolean => NEXT[from].includes(to)

/** States in which a ticket is out and may be redeemed. */
export const TICKET_IS_OUT: readonly WithdrawalStatus[] = ['APPROVED_AUTO', 'APPROVED_MANUAL']

/** Returns true if a ticket is out and may be redeemed. */
export const isTicketOut = (status: WithdrawalStatus): boolean => TICKET_IS_OUT.includes(status)

/** Funds of the vault as of one block, in micro-USDC. */
export type VaultFunds = {
  readonly balance: Usdc
  /** Amount that its circuit breaker allows to withdraw. */
  readonly withdrawable: Usdc
}

/**
 * Returns the amount for which another ticket can be issued, in micro-USDC; at least zero.
 *
 * @param promised sum of tickets that the vault's figures do not include as paid
 */
export function liquidity(vault: VaultFunds, promised: Usdc): Usdc {
  const free = minUsdc(vault.balance, vault.withdrawable) - promised
  return usdc(free > 0n ? free : 0n)
}

/**
 * Returns why a withdrawal must be reviewed; empty if it gets a ticket at once. That needs earnings from deposited money
 * that cover all of it.
 *
 * @param asked.promotional part of the amount that earnings from promotional credit must cover
 * @param asked.approvedToday sum of automatic approvals for all wallets on this UTC day
 * @param asked.openedToday sum that this wallet has already opened on this UTC day and that counts towards the limit
 * @param asked.isTicketing false while no ticket may be issued
 */
export function reviewCauses(asked: {
  amount: Usdc
  promotional: Usdc
  openedToday: Usdc
  autoApproveMax: Usdc
  approvedToday: Usdc
  autoApproveTotal: Usdc
  liquidity: Usdc
  isTicketing: boolean
}): readonly ReviewCause[] {
  const holds: Readonly<Record<ReviewCause, boolean>> = {
    vouchers: asked.promotional > 0n,
    wallet_limit: asked.openedToday + asked.amount > asked.autoApproveMax,
    total_limit: asked.approvedToday + asked.amount > asked.autoApproveTotal,
    vault_illiquid: asked.amount > asked.liquidity,
    tickets_stopped: !asked.isTicketing,
  }
  return REVIEW_CAUSES.filter(cause => holds[cause])
}

/** A payment of a ticket, from an event of the vault. */
export type Redemption = {
  readonly to: string
  readonly amount: Usdc
  readonly nonce: string
  readonly logIndex: number
}

/**
 * Finds the redemption of a ticket among the vault's events in a successful transaction.
 *
 * @returns the redemption, or how the transaction differs from one
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

/** Relation of a redemption to the books. */
export type Explanation =
  /** The ticket is out; the payment closes its withdrawal. */
  | 'pays'
  /** Already booked. */
  | 'booked'
  /** Booked, but a reorganisation has moved it to another transaction or log index. */
  | 'moved'
  /** Not explained by any withdrawal. */
  | { readonly unexplained: 'unknown_nonce' | 'withdrawal_closed' | RedemptionMismatch }

/**
 * Explains a redemption by the withdrawal of its nonce, or by its adoption.
 *
 * @param withdrawal undefined if none has this nonce; `redeemedIn` is null until it is completed
 * @param adopted amount and recipient that an admin booked for this nonce; null if none
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

/** Returns true if a ticket is past its deadline at a block. It can still be redeemed in its last second. */
export function isStale(deadline: bigint, blockTimestamp: bigint): boolean {
  return blockTimestamp > deadline
}
