import { MAX_USDC } from '@farebox/money'
import type { DepositRejection, DepositStatus } from '@farebox/wire/deposits'

/**
 * States of a deposit and their transitions. A rejected deposit can still be credited, if its transaction is mined
 * after all.
 */
export const NEXT: Readonly<Record<DepositStatus, readonly DepositStatus[]>> = {
  pending: ['confirming', 'credited', 'rejected'],
  confirming: ['confirming', 'credited', 'rejected'],
  credited: [],
  rejected: ['credited'],
}

/** Returns the states from which `to` can be reached. */
export function statesBefore(to: DepositStatus): DepositStatus[] {
  return (Object.keys(NEXT) as DepositStatus[]).filter(from => NEXT[from].includes(to))
}

/** State of a transaction on the chain, as far as deposits need it. */
export type DepositEvidence = {
  readonly requiredConfirmations: number
  /** Null if the node does not have the transaction, or it is not mined. */
  readonly mined: {
    readonly status: 'success' | 'reverted'
    /** True if the block of the transaction is on the chain. */
    readonly isCanonical: boolean
    readonly confirmations: number
    /** Owners of the vault's deposits in the transaction. */
    readonly depositors: readonly string[]
  } | null
}

/** Decision about a claim. */
export type Verdict =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'confirming'; readonly confirmations: number }
  | { readonly kind: 'rejected'; readonly confirmations: number; readonly reason: DepositRejection }
  | { readonly kind: 'credited'; readonly confirmations: number }

/**
 * Decides a claim by the state of its transaction. Nothing is final before it is confirmed, not even a rejection.
 *
 * @param wallet claimant, lower-case
 * @param isOverdue true if the claim has waited too long for its transaction
 */
export function judgeDeposit(evidence: DepositEvidence, wallet: string, isOverdue: boolean): Verdict {
  const { mined, requiredConfirmations } = evidence
  if (mined === null || !mined.isCanonical) {
    return isOverdue
      ? { kind: 'rejected', confirmations: 0, reason: 'unknown_after_24h' }
      : { kind: 'unknown' }
  }
  const { status, confirmations, depositors } = mined
  if (confirmations < requiredConfirmations) return { kind: 'confirming', confirmations }
  if (status === 'reverted') return { kind: 'rejected', confirmations, reason: 'reverted' }
  if (depositors.includes(wallet)) return { kind: 'credited', confirmations }
  const reason = depositors.length > 0 ? 'wrong_depositor' : 'no_vault_deposit'
  return { kind: 'rejected', confirmations, reason }
}

/** Returns the subject of a finding about a deposit; {@link eventOf} reads it. */
export const findingSubject = ({ txHash, logIndex }: { txHash: string; logIndex: number }): string =>
  `${txHash}:${logIndex}`

/** Returns the event that the subject of a finding names. */
export function eventOf(subject: string): { txHash: string; logIndex: number } {
  const [txHash = '', logIndex] = subject.split(':')
  return { txHash, logIndex: Number(logIndex) }
}

/** Returns the permanent key of a vault event. */
export function eventKey(event: { chainId: number | bigint; txHash: string; logIndex: number }): string {
  return `${event.chainId}:${event.txHash}:${event.logIndex}`
}

/**
 * Returns true if an amount fits the books. Real USDC never reaches the bound; a token with unlimited minting must not
 * stop the follower with a larger amount.
 */
export function isBookable(amount: bigint): boolean {
  return amount > 0n && amount <= MAX_USDC
}

/** Range of blocks to read. */
export type ReadRange = { readonly from: bigint; readonly to: bigint }

/**
 * Returns the next blocks for the follower; null if there are none. The range ends at the last confirmed block at most,
 * never ends before the cursor, and includes recent blocks again, in case an earlier response was incomplete.
 *
 * @param cursor last block read
 * @param confirmed last confirmed block
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

/** A deposit, from the vault's event or from its record. */
type Deposited = { readonly logIndex: number; readonly owner: string; readonly amount: bigint }

/** Events of a transaction matched with its records. */
export type Matched<Event> = {
  /** Recorded deposits that are on the chain, each with its event, which may have another log index. */
  readonly known: readonly { readonly logIndex: number; readonly event: Event }[]
  /** Events without a record. */
  readonly fresh: readonly Event[]
  /** Log indexes of uncredited records without an event. */
  readonly stale: readonly number[]
}

/**
 * Matches all events of a transaction with its records. A reorganisation can mine a transaction again with other log
 * indexes, so a credited deposit whose log index does not match is matched by wallet and amount: it is the same money
 * and must not be credited again.
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
