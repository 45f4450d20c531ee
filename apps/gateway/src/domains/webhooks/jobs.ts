import type { Job } from '../../jobs.ts'
import { deliverDue } from './deliver-due.ts'
import type { DeliverDeps } from './deliver-turn.ts'
import { pruneDeliveries } from './prune-deliveries.ts'

/** Pause between two looks for webhooks that are due, in ms: an index lookup when there is none. */
const LOOK_EVERY_MS = 1_000
const PRUNE_EVERY_MS = 600_000

/** Jobs of this domain: deliveries, and the end of what is old. */
export function webhookJobs(deps: DeliverDeps): Job[] {
  return [
    { name: 'deliver-webhooks', everyMs: LOOK_EVERY_MS, run: signal => deliverDue(deps, signal) },
    { name: 'prune-webhooks', everyMs: PRUNE_EVERY_MS, run: signal => pruneDeliveries(deps, signal) },
  ]
}
