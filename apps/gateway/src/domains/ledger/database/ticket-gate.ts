import type { Config } from '../../../config.ts'
import type { Chain, Queryable } from '../../../ports.ts'
import { readCleanAge, readLastReconciliation } from '../reconcile/reconcile-store.ts'
import { listOpenChainFindings } from './chain-findings.ts'
import { type Followed, readFollowed } from './database-watch.ts'

/** Why no ticket may be issued now. */
export type TicketBlock =
  /** The newest check of the books found a broken invariant. */
  | 'books_inconsistent'
  /** The chain and the books disagree, and nobody has settled it. */
  | 'chain_finding'
  /** What the vault has paid until now may not be in the books yet. */
  | 'chain_not_followed'
  /** No check of late has compared the books and the vault and found nothing. */
  | 'books_unchecked'

/** The chain that tickets are for, and how often it is looked at. */
type Following = {
  readonly chain: Pick<Chain, 'facts'>
  readonly config: Pick<Config, 'FOLLOWER_INTERVAL_SECONDS' | 'RECONCILE_INTERVAL_SECONDS'>
}

/** Most confirmed blocks that may not have been read. */
const UNREAD_BLOCKS_MAX = 64n
/** Longest time since there was nothing more to read, in seconds, or three looks at the chain. */
const FOLLOWED_SECONDS_MAX = 30
/** A clean check counts for so many of the pauses between two, */
const CLEAN_FOR_INTERVALS = 3
/** and for this long however short they are: a check takes its time on a busy database. */
const CLEAN_SECONDS_MIN = 15

/**
 * Returns why no withdrawal ticket may be issued now, or null when one may be. Read it under the ticketing lock: a
 * finding that is committed later binds the next ticket.
 *
 * @param head height of the chain now; null: not known
 */
export async function ticketBlock(
  db: Queryable,
  deps: Following,
  head: bigint | null,
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
  return age !== null && age <= ageMax ? null : 'books_unchecked'
}

function isUpToDate(
  { isConfirmed, block, ageSeconds }: Followed,
  { chain, config }: Following,
  head: bigint | null,
): boolean {
  if (!isConfirmed || block === null || ageSeconds === null) return false
  const unread = (head ?? block) - BigInt(chain.facts.requiredConfirmations) + 1n - block
  const ageMax = Math.max(FOLLOWED_SECONDS_MAX, 3 * config.FOLLOWER_INTERVAL_SECONDS)
  return unread <= UNREAD_BLOCKS_MAX && ageSeconds <= ageMax
}
