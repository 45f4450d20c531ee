import { formatUsdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { type Reconciliation, reconcile } from '../ledger/reconcile.ts'
import { recordAct } from './record-act.ts'
import type { ActOf } from './set-suspension.ts'

/** What of a check of the books goes into the audit log. */
const TARGET = 'books'

/**
 * Checks the books now, at an admin's word, and keeps the outcome as the regular checks do.
 *
 * @returns what was found
 */
export function reconcileNow(
  deps: Pick<Deps, 'db' | 'chain' | 'log' | 'ids'>,
  by: ActOf,
): Promise<Reconciliation> {
  return reconcile(deps, (tx, { consistent, findings, totals }) =>
    recordAct(deps, tx, {
      ...{ ...by, action: 'books.reconcile', target: TARGET, before: null },
      after: { consistent, findings: findings.length, liabilitiesUsdc: formatUsdc(totals.owed) },
    }),
  )
}
