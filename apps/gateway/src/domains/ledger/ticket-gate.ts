import type { Queryable } from '../../ports.ts'
import { listOpenChainFindings } from './chain-findings.ts'
import { readLastReconciliation } from './reconcile-store.ts'

/** Why no ticket may be issued now. */
export type TicketBlock =
  /** The newest check of the books found a broken invariant. */
  | 'books_inconsistent'
  /** The chain and the books disagree, and nobody has settled it. */
  | 'chain_finding'

/**
 * Returns why no withdrawal ticket may be issued now, or null when one may be. Read it under the ticketing lock: a
 * finding that is committed later binds the next ticket.
 */
export async function ticketBlock(db: Queryable): Promise<TicketBlock | null> {
  const [last, open] = await Promise.all([readLastReconciliation(db), listOpenChainFindings(db, 1)])
  if (open.length > 0) return 'chain_finding'
  return last === null || last.consistent ? null : 'books_inconsistent'
}
