import type { Deps } from '../../ports.ts'
import { queueCodeMails } from './mail-code.ts'
import { utcDay } from './rules.ts'
import { deleteMailCounts, forgetExpired, takeUnmailed } from './store.ts'

/** Age after which a queued mail that was not sent is queued again, in ms. */
const REQUEUE_AFTER_MS = 60_000
const BATCH_ROWS = 1_000
const BATCHES_MAX = 50
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
    requeued: await inBatches(() => requeueBatch(deps, now)),
    forgotten: await inBatches(() => forgetExpired(deps.db, new Date(now), BATCH_ROWS)),
    counts: await inBatches(() => deleteMailCounts(deps.db, utcDay(now) - DAYS_COUNTED, BATCH_ROWS)),
  }
}

function requeueBatch(deps: Pick<Deps, 'db' | 'jobs'>, now: number): Promise<number> {
  return deps.db.transaction(async tx => {
    const codeIds = await takeUnmailed(tx, {
      queuedBefore: new Date(now - REQUEUE_AFTER_MS),
      now: new Date(now),
      limit: BATCH_ROWS,
    })
    await queueCodeMails(deps, tx, codeIds)
    return codeIds.length
  })
}

async function inBatches(runBatch: () => Promise<number>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const done = await runBatch()
    total += done
    if (done < BATCH_ROWS) break
  }
  return total
}
