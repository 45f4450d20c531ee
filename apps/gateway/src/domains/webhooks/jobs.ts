import { type Job, pruneJob } from '../../runtime/jobs.ts'
import { deliverDue } from './deliver-due.ts'
import type { DeliverDeps } from './deliver-turn.ts'
import { pruneDeliveries } from './prune-deliveries.ts'

/** Interval between searches for due webhooks, in ms; an index lookup if none is due. */
const LOOK_EVERY_MS = 2_000

/** Returns the jobs of the webhooks domain: deliveries and pruning. */
export function webhookJobs(deps: DeliverDeps): Job[] {
  return [
    { name: 'deliver-webhooks', everyMs: LOOK_EVERY_MS, run: signal => deliverDue(deps, signal) },
    pruneJob('prune-webhooks', signal => pruneDeliveries(deps, signal)),
  ]
}
