import type { Queryable } from '../../ports.ts'
import { readLastReconciliation } from './reconcile-store.ts'

/** Whether the newest check of the books found nothing wrong. Before the first check there is nothing to doubt. */
export async function areBooksConsistent(db: Queryable): Promise<boolean> {
  const last = await readLastReconciliation(db)
  return last === null || last.consistent
}
