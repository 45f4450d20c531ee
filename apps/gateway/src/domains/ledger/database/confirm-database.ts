import type { Deps } from '../../../ports.ts'
import { type Reconciliation, reconcile } from '../reconcile/reconcile.ts'
import { FINDINGS_PER_CHECK_MAX, type Finding } from '../reconcile/reconcile-store.ts'
import { listOpenChainFindings, resolveChainFinding } from './chain-findings.ts'
import { hasCaughtUp } from './database-watch.ts'

const isRestore = ({ check }: Finding): boolean => check === 'database-restored'

/**
 * Closes the finding of a restored database once the vault was followed past the head of that moment and a full check
 * finds nothing else: the books then contain every payment. A restore that lost a paid withdrawal stays open, as its
 * redemption is unexplained.
 *
 * @param last outcome of the newest check; the full check runs only if it found nothing else
 */
export async function confirmDatabase(
  deps: Pick<Deps, 'db' | 'chain' | 'log'>,
  last: Pick<Reconciliation, 'findings'>,
): Promise<void> {
  if (last.findings.length === 0 || !last.findings.every(isRestore)) return
  if (!(await hasCaughtUp(deps.db))) return
  const { findings } = await reconcile(deps)
  if (findings.every(isRestore) && (await endRestores(deps))) await reconcile(deps)
}

function endRestores({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<boolean> {
  return db.transaction(async tx => {
    if (!(await hasCaughtUp(tx))) return false
    for (const { kind, subject } of await listOpenChainFindings(tx, FINDINGS_PER_CHECK_MAX)) {
      if (kind !== 'database-restored') return false
      await resolveChainFinding(tx, { kind, subject, resolution: 'gone' })
      log.warn({ subject }, 'the restored database agrees with the chain; tickets are issued again')
    }
    return true
  })
}
