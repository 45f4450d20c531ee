import { formatUsdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { proveLiabilities } from '../ledger/proof/prove-liabilities.ts'
import { type Reconciliation, reconcile } from '../ledger/reconcile/reconcile.ts'
import { recordAct } from './record-act.ts'
import type { ActOf } from './set-suspension.ts'

/** Target of reconciliations in the audit log. */
const TARGET = 'books'

/**
 * Checks the books on request of an admin, and stores the result as regular checks do. If they are in order, rebuilds
 * the tree of liabilities.
 *
 * @returns the result of the check
 */
export async function reconcileNow(
  deps: Pick<Deps, 'db' | 'chain' | 'log' | 'ids' | 'metrics'>,
  by: ActOf,
): Promise<Reconciliation> {
  const outcome = await reconcile(deps, (tx, { consistent, findings, totals }) =>
    recordAct(deps, tx, {
      ...by,
      action: 'books.reconcile',
      target: TARGET,
      before: null,
      after: { consistent, findings: findings.length, liabilitiesUsdc: formatUsdc(totals.owed) },
    }),
  )
  if (outcome.consistent) await proveLiabilities(deps)
  return outcome
}
