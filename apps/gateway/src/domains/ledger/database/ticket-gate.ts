import type { TicketBlock } from '@farebox/wire/operations'
import type { Config } from '../../../config.ts'
import type { Block, Chain, Queryable } from '../../../ports.ts'
import { confirmedHeight } from '../read-mined.ts'
import { readCleanAge, readLastReconciliation } from '../reconcile/reconcile-store.ts'
import { listOpenChainFindings } from './chain-findings.ts'
import { type Followed, readFollowed } from './database-watch.ts'

/** The chain of the tickets, and the interval at which it is read. */
type Following = {
  readonly chain: Pick<Chain, 'facts'>
  readonly config: Pick<Config, 'FOLLOWER_INTERVAL_SECONDS' | 'RECONCILE_INTERVAL_SECONDS'>
}

/** Maximum number of confirmed but unread blocks, if the chain needs longer than {@link FOLLOWED_SECONDS_MAX} for them. */
const UNREAD_BLOCKS_MAX = 64n
/** Maximum seconds since the follower last reached the head, unless three polls take longer. */
const FOLLOWED_SECONDS_MAX = 30
/** Number of check intervals for which a clean check is valid, */
const CLEAN_FOR_INTERVALS = 3
/** and its minimum validity in seconds: a check takes time on a busy database. */
const CLEAN_SECONDS_MIN = 15
/** Maximum seconds by which the database's clock may be set back without stopping tickets: a correction, not a jump. */
const SET_BACK_SECONDS_MAX = 5

/**
 * Returns why no withdrawal ticket may be issued, or null if one may. Call it under the ticketing lock: a finding that
 * is committed later blocks the next ticket.
 *
 * @param head newest block of the chain; null if unknown
 */
export async function ticketBlock(
  db: Queryable,
  deps: Following,
  head: Block | null,
): Promise<TicketBlock | null> {
  const [last, open, followed, age] = await Promise.all([
    readLastReconciliation(db),
    listOpenChainFindings(db, 1),
    readFollowed(db, deps.chain.facts),
    readCleanAge(db),
  ])
  if (open.length > 0) return 'chain_finding'
  if (followed !== null && !isUpToDate(followed, deps, head)) return 'chain_not_followed'
  if (last !== null && !last.consistent) return 'books_inconsistent'
  const ageMax = Math.max(CLEAN_SECONDS_MIN, CLEAN_FOR_INTERVALS * deps.config.RECONCILE_INTERVAL_SECONDS)
  return age !== null && isWithin(age, ageMax) ? null : 'books_unchecked'
}

/** Returns true for an age up to a maximum; a negative one shows by how much the database's clock was set back. */
const isWithin = (seconds: number, max: number): boolean => seconds >= -SET_BACK_SECONDS_MAX && seconds <= max

function isUpToDate(followed: Followed, { chain, config }: Following, head: Block | null): boolean {
  const { isConfirmed, block, blockTime, ageSeconds } = followed
  if (!isConfirmed || block === null || ageSeconds === null) return false
  const secondsMax = Math.max(FOLLOWED_SECONDS_MAX, 3 * config.FOLLOWER_INTERVAL_SECONDS)
  if (!isWithin(ageSeconds, secondsMax)) return false
  if (head === null) return true
  const unread = confirmedHeight(head, chain.facts) - block
  if (unread <= UNREAD_BLOCKS_MAX) return true
  if (blockTime === null) return false
  const secondsPerBlock = Number(head.timestamp - blockTime) / Number(head.number - block)
  return Number(unread) * secondsPerBlock <= secondsMax
}
