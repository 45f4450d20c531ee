import type { Deps } from '../../../ports.ts'
import { type Reconciliation, reconcile } from '../reconcile/reconcile.ts'
import { FINDINGS_PER_CHECK_MAX, type Finding } from '../reconcile/reconcile-store.ts'
import { listOpenChainFindings, resolveChainFinding } from './chain-findings.ts'
import { hasCaughtUp } from './database-watch.ts'

const isRestore = ({ check }: Finding): boolean => check === 'database-restored'

/**
 * Ends the finding of a restored database once the vault has been followed past the head of that moment and a check of
 * everything finds nothing else: then nothing that was paid is missing in the books. A restore that has lost a paid
 * withdrawal stays, by the redemption that no withdrawal explains.
 *
 * @param last outcome of the newest check: everything is only checked when it has found nothing else
 * @returns the outcome of the check after it, or null when nothing has ended
 */
export async function confirmDatabase(
  deps: Pick<Deps, 'db' | 'chain' | 'log'>,
  last: Pick<Reconciliation, 'findings'>,
): Promise<Reconciliation | null> {
  if (last.findings.length === 0 || !last.findings.every(isRestore)) return null
  if (!(await hasCaughtUp(deps.db))) return null
  const { findings } = await reconcile(deps)
  if (!findings.every(isRestore) || !(await endRestores(deps))) return null
  return reconcile(deps)
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
