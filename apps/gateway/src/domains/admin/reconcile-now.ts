import { formatUsdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { proveLiabilities } from '../ledger/proof/prove-liabilities.ts'
import { type Reconciliation, reconcile } from '../ledger/reconcile/reconcile.ts'
import { recordAct } from './record-act.ts'
import type { ActOf } from './set-suspension.ts'

/** What of a check of the books goes into the audit log. */
const TARGET = 'books'

/**
 * Checks the books now, at an admin's word, and keeps the outcome as the regular checks do. When they are in order, the
 * tree over what wallets are owed is made anew.
 *
 * @returns what was found
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
