import type { Deps } from '../../ports.ts'
import { pruneTable } from '../../sql/prune-in-steps.ts'
import { deleteExcessDeliveries, deleteOldDeliveries, deleteRemains } from './delivery-store.ts'

/** Number of days for which deliveries are kept. */
const KEPT_DAYS = 30
/** Maximum number of deliveries kept for each webhook. */
const KEPT_PER_WEBHOOK_MAX = 10_000

/** Deletes old deliveries in steps, until none is left or the gateway stops. */
export async function pruneDeliveries(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics'>,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps
  const prune = (deleteSome: (limit: number) => Promise<number>) =>
    pruneTable(deps, { table: 'webhook_deliveries' }, signal, deleteSome)
  await prune(limit => deleteOldDeliveries(db, { days: KEPT_DAYS, limit }))
  await prune(limit => deleteExcessDeliveries(db, { keptMax: KEPT_PER_WEBHOOK_MAX, limit }))
  await deleteRemains(db)
}
