import type { Deps } from '../../ports.ts'
import { pruneTable } from '../../sql/prune-in-steps.ts'
import { deleteOldAlerts } from './alert-store.ts'
import { deleteOldCalls } from './log-store.ts'
import { deleteOldMails } from './mail-store.ts'

/** Days for which alerts are kept; those of a credential's limit that never resets for as long as the database. */
const KEPT_DAYS = 90

/** Job: deletes old alerts, their mails, and counts of calls, in steps. */
export async function pruneAlerts(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics'>,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps
  const prune = (deleteSome: (limit: number) => Promise<number>) =>
    pruneTable(deps, { table: 'alerts' }, signal, deleteSome)
  await prune(limit => deleteOldAlerts(db, { days: KEPT_DAYS, limit }))
  await prune(limit => deleteOldMails(db, { days: KEPT_DAYS, limit }))
  await prune(limit => deleteOldCalls(db, limit))
}
