import type { Config } from '../../config.ts'
import type { Chain, Queryable } from '../../ports.ts'
import { listOpenChainFindings } from './chain-findings.ts'
import { type Followed, readFollowed } from './database-watch.ts'
import { readLastReconciliation } from './reconcile-store.ts'

/** Why no ticket may be issued now. */
export type TicketBlock =
  /** The newest check of the books found a broken invariant. */
  | 'books_inconsistent'
  /** The chain and the books disagree, and nobody has settled it. */
  | 'chain_finding'
  /** What the vault has paid until now may not be in the books yet. */
  | 'chain_not_followed'

/** The chain that tickets are for, and how often it is looked at. */
type Following = {
  readonly chain: Pick<Chain, 'facts'>
  readonly config: Pick<Config, 'FOLLOWER_INTERVAL_SECONDS'>
}

/** Most confirmed blocks that may not have been read. */
const UNREAD_BLOCKS_MAX = 64n
/** Longest time since there was nothing more to read, in seconds, or three looks at the chain. */
const FOLLOWED_SECONDS_MAX = 30

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
  const [last, open, followed] = await Promise.all([
    readLastReconciliation(db),
    listOpenChainFindings(db, 1),
    readFollowed(db, deps.chain.facts),
  ])
  if (open.length > 0) return 'chain_finding'
  if (followed !== null && !isUpToDate(followed, deps, head)) return 'chain_not_followed'
  return last === null || last.consistent ? null : 'books_inconsistent'
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
