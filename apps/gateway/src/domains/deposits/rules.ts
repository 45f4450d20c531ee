import { MAX_USDC } from '@farebox/money'
import type { DepositRejection, DepositStatus } from '@farebox/wire/deposits'

/**
 * The states of a deposit and the ways between them. A rejected deposit has one way on: the chain has the last
 * word, so a transaction that turns up after it was given up is credited all the same.
 */
export const NEXT: Readonly<Record<DepositStatus, readonly DepositStatus[]>> = {
  pending: ['confirming', 'credited', 'rejected'],
  confirming: ['confirming', 'credited', 'rejected'],
  credited: [],
  rejected: ['credited'],
}

/** States from which `to` can be reached. */
export function statesBefore(to: DepositStatus): DepositStatus[] {
  return (Object.keys(NEXT) as DepositStatus[]).filter(from => NEXT[from].includes(to))
}

/** What the chain shows of a transaction, as far as a deposit cares. */
export type Sight = {
  readonly head: bigint
  readonly requiredConfirmations: number
  /** Null: the node does not know the transaction, or it is not mined. */
  readonly receipt: {
    readonly status: 'success' | 'reverted'
    readonly blockNumber: bigint
    /** Whether the block of the receipt is the one that the chain has at this height. */
    readonly isCanonical: boolean
    /** Owners of the deposits that our vault saw in it. */
    readonly depositors: readonly string[]
  } | null
}

/** What follows from it. */
export type Verdict =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'confirming'; readonly confirmations: number }
  | { readonly kind: 'rejected'; readonly confirmations: number; readonly reason: DepositRejection }
  | { readonly kind: 'credited'; readonly confirmations: number }

/**
 * Judges a claim by what the chain shows. Nothing is final, a rejection neither, before it has its confirmations.
 *
 * @param wallet who claims, lower-case
 * @param isOverdue whether the claim has waited for its transaction for too long
 */
export function judgeDeposit(sight: Sight, wallet: string, isOverdue: boolean): Verdict {
  const { head, receipt, requiredConfirmations } = sight
  if (receipt === null || !receipt.isCanonical) {
    return isOverdue
      ? { kind: 'rejected', confirmations: 0, reason: 'unknown_after_24h' }
      : { kind: 'unknown' }
  }
  const confirmations = confirmationsAt(head, receipt.blockNumber)
  if (confirmations < requiredConfirmations) return { kind: 'confirming', confirmations }
  if (receipt.status === 'reverted') return { kind: 'rejected', confirmations, reason: 'reverted' }
  if (receipt.depositors.includes(wallet)) return { kind: 'credited', confirmations }
  const reason = receipt.depositors.length > 0 ? 'wrong_depositor' : 'no_vault_deposit'
  return { kind: 'rejected', confirmations, reason }
}

/** How many blocks confirm a block; its own is the first. */
export function confirmationsAt(head: bigint, blockNumber: bigint): number {
  return head < blockNumber ? 0 : Number(head - blockNumber + 1n)
}

/** The name of a vault event for all time. */
export function eventKey(event: { chainId: number | bigint; txHash: string; logIndex: number }): string {
  return `${event.chainId}:${event.txHash}:${event.logIndex}`
}

/**
 * Whether an amount can be booked. No real USDC comes near the bound; a token that could be minted without end must
 * not be able to stop the follower by a number that the books cannot hold.
 */
export function isBookable(amount: bigint): boolean {
  return amount > 0n && amount <= MAX_USDC
}

/** Blocks to read next, or null when there is nothing that may be read. */
export type ReadRange = { readonly from: bigint; readonly to: bigint }

/**
 * The next blocks for the follower. It never goes beyond the last confirmed block, never back, and reads the
 * newest blocks that it has read already again: an answer that lacked something is made up for.
 *
 * @param cursor last block read
 * @param confirmed last block that has its confirmations
 */
export function nextRange(input: {
  cursor: bigint
  confirmed: bigint
  startBlock: bigint
  rereadBlocks: bigint
  blocksMax: bigint
}): ReadRange | null {
  const { cursor, confirmed, startBlock, rereadBlocks, blocksMax } = input
  if (confirmed < cursor || confirmed < startBlock) return null
  const to = min(confirmed, cursor + blocksMax)
  const from = cursor + 1n - rereadBlocks
  return { from: from < startBlock ? startBlock : from, to }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** A deposit as the vault's event says it, or as it is recorded. */
type Deposited = { readonly logIndex: number; readonly owner: string; readonly amount: bigint }

/** How the events of a transaction are what is recorded of it. */
export type Matched<Event> = {
  /** Recorded deposits that the chain has, each with its event, which may be at another log index. */
  readonly known: readonly { readonly logIndex: number; readonly event: Event }[]
  /** Events that nothing recorded is. */
  readonly fresh: readonly Event[]
  /** Log indexes of recorded deposits that are not credited and that the chain does not have. */
  readonly stale: readonly number[]
}

/**
 * Matches all events of one transaction with what is recorded of it. A reorganisation can mine a transaction again with
 * its logs at other places, so a credited deposit is matched by wallet and amount where its log index does not fit: it
 * is the same money, and must not be credited again.
 */
export function matchEvents<Event extends Deposited>(
  recorded: readonly (Deposited & { readonly isCredited: boolean })[],
  events: readonly Event[],
): Matched<Event> {
  const left = new Set(events)
  const known: { logIndex: number; event: Event }[] = []
  const take = (row: Deposited, isSame: (event: Event) => boolean): boolean => {
    for (const event of left) {
      if (!isSame(event) || event.owner !== row.owner || event.amount !== row.amount) continue
      left.delete(event)
      known.push({ logIndex: row.logIndex, event })
      return true
    }
    return false
  }
  const elsewhere = recorded.filter(row => !take(row, event => event.logIndex === row.logIndex))
  for (const row of elsewhere) if (row.isCredited) take(row, () => true)
  const stale = elsewhere.filter(row => !row.isCredited).map(row => row.logIndex)
  return { known, fresh: [...left], stale }
}
