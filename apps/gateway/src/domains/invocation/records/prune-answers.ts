import type { Deps } from '../../../ports.ts'
import { pruneInSteps } from '../../../sql/prune-in-steps.ts'
import { deleteOldAnswers } from './answer-store.ts'

const DAY_MS = 86_400_000
/** Retention of answers of free calls, in days: free calls must not fill the disk. */
const FREE_DAYS_MAX = 1
/** Sorts before every id. */
const START = ''

/**
 * Job: deletes expired answers and recorded streams: of paid calls after `REPLAY_RETENTION_DAYS`, of free calls after a
 * day. The call, its usage, its entries and its key stay for ever (see archived-answer.ts).
 *
 * @returns how many answers were deleted
 */
export async function pruneAnswers(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'metrics'>,
  signal: AbortSignal,
): Promise<number> {
  const { REPLAY_RETENTION_DAYS: days } = deps.config
  const all = await pruneOlder(deps, signal, { of: 'all', days })
  return all + (await pruneOlder(deps, signal, { of: 'free', days: Math.min(days, FREE_DAYS_MAX) }))
}

function pruneOlder(
  { db, clock, metrics }: Pick<Deps, 'db' | 'clock' | 'metrics'>,
  signal: AbortSignal,
  { of, days }: { of: 'all' | 'free'; days: number },
): Promise<number> {
  const before = new Date(clock.now() - days * DAY_MS)
  let after = START
  return pruneInSteps(clock, signal, async limit => {
    const step = await deleteOldAnswers(db, { of, before, after, limit })
    const { answers, streams, last } = step
    metrics.count('farebox_pruned_rows_total', { table: 'invocation_answers' }, answers)
    metrics.count('farebox_pruned_rows_total', { table: 'invocation_streams' }, streams)
    after = last ?? after
    // No answer of this page is old enough, and later pages are newer.
    return { rows: answers, isLast: !step.isOurTurn || answers === 0 }
  })
}
