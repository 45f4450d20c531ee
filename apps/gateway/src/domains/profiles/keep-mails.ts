import type { Deps } from '../../ports.ts'
import { inBatches } from '../../sql/in-batches.ts'
import { queueCodeMails } from './mail-code.ts'
import { utcDay } from './rules.ts'
import { deleteMailCounts, forgetExpired, takeUnmailed } from './store.ts'

/** Age after which a queued mail that was not sent is queued again, in ms. */
const REQUEUE_AFTER_MS = 60_000
/** Keeps the counts of yesterday, for gateways whose clock is behind. */
const DAYS_COUNTED = 1

/**
 * Queues mails again that were not sent within a minute: a gateway that dies blocks its mails for hours, and after a
 * long outage of the mail server the backoff is too long. Deletes codes that expired unmailed, and the counts of past
 * days. Bounded per run; the next run continues.
 */
export async function keepMails(
  deps: Pick<Deps, 'db' | 'clock' | 'jobs'>,
): Promise<{ requeued: number; forgotten: number; counts: number }> {
  const now = deps.clock.now()
  return {
    requeued: await inBatches(limit => requeueBatch(deps, now, limit)),
    forgotten: await inBatches(limit => forgetExpired(deps.db, new Date(now), limit)),
    counts: await inBatches(limit => deleteMailCounts(deps.db, utcDay(now) - DAYS_COUNTED, limit)),
  }
}

function requeueBatch(deps: Pick<Deps, 'db' | 'jobs'>, now: number, limit: number): Promise<number> {
  return deps.db.transaction(async tx => {
    const codeIds = await takeUnmailed(tx, {
      queuedBefore: new Date(now - REQUEUE_AFTER_MS),
      now: new Date(now),
      limit,
    })
    await queueCodeMails(deps, tx, codeIds)
    return codeIds.length
  })
}
