import type { Deps } from '../../../ports.ts'
import { pruneInSteps } from '../../../sql/prune-in-steps.ts'
import { deleteOldAnswers } from './answer-store.ts'

const DAY_MS = 86_400_000
/** Days that the answer of a call that cost nothing is kept: who calls for nothing must not fill the disk. */
const FREE_DAYS_MAX = 1
/** Sorts before every id. */
const START = ''

/**
 * Job: deletes stored answers and recorded streams that can be replayed no longer: those of paid calls after
 * `REPLAY_RETENTION_DAYS`, those of calls that cost nothing after a day. Nothing of money is touched: the
 * call, its usage and its entries stay for ever, and so does its key (see archived-answer.ts).
 *
 * @returns how many answers went
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
    // A page of which nothing is old: what follows is younger still.
    return { rows: answers, isLast: !step.isOurTurn || answers === 0 }
  })
}
