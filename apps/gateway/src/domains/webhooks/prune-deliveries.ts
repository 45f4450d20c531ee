import type { Deps } from '../../ports.ts'
import { pruneTable } from '../../prune-in-steps.ts'
import { deleteExcessDeliveries, deleteOldDeliveries, deleteRemains } from './delivery-store.ts'

/** Deliveries can be looked at and replayed for so long. */
const KEPT_DAYS = 30
/** And so many of one webhook, at most. */
const KEPT_PER_WEBHOOK_MAX = 10_000

/** Deletes what is kept no longer, in steps, until there is none left or the gateway stops. */
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
