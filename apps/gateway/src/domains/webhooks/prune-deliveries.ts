import type { Deps } from '../../ports.ts'
import { deleteExcessDeliveries, deleteOldDeliveries, deleteRemains } from './delivery-store.ts'

/** Deliveries can be looked at and replayed for so long. */
const KEPT_DAYS = 30
/** And so many of one webhook, at most. */
const KEPT_PER_WEBHOOK_MAX = 10_000
/** Rows of one step. */
const STEP_ROWS_MAX = 1_000

/** Deletes what is kept no longer, in steps, until there is none left or the gateway stops. */
export async function pruneDeliveries(deps: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  let deleted = STEP_ROWS_MAX
  while (deleted >= STEP_ROWS_MAX && !signal.aborted) {
    deleted = await deleteOldDeliveries(deps.db, { days: KEPT_DAYS, limit: STEP_ROWS_MAX })
  }
  deleted = STEP_ROWS_MAX
  while (deleted >= STEP_ROWS_MAX && !signal.aborted) {
    deleted = await deleteExcessDeliveries(deps.db, { keptMax: KEPT_PER_WEBHOOK_MAX, limit: STEP_ROWS_MAX })
  }
  await deleteRemains(deps.db)
}
