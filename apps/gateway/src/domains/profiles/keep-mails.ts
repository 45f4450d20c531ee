import type { Deps } from '../../ports.ts'
import { queueCodeMails } from './mail-code.ts'
import { utcDay } from './rules.ts'
import { deleteMailCounts, forgetExpired, takeUnmailed } from './store.ts'

/** A mail that has not gone out so long after it was queued is queued again, in ms. */
const REQUEUE_AFTER_MS = 60_000
const BATCH_ROWS = 1_000
const BATCHES_MAX = 50
/** Counts of yesterday stay: a gateway whose clock is behind still counts there. */
const DAYS_COUNTED = 1

/**
 * Job: queues mails anew that have not gone out in a minute, since a gateway that dies takes what it was mailing with
 * it for hours, and a server that is back after long is not to be waited for by long pauses; forgets codes that
 * expired unmailed, and the counts of past days. Bounded per run; what is left over is for the next one.
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
