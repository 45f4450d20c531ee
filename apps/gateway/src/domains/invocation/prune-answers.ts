import type { Deps } from '../../ports.ts'
import { pruneInSteps } from '../../prune-in-steps.ts'
import { deleteOldAnswers } from './answer-store.ts'

const DAY_MS = 86_400_000
/** Sorts before every id. */
const START = ''

/**
 * Job: deletes stored answers and recorded streams that can be replayed no longer. Nothing of money is touched: the
 * call, its usage and its entries stay for ever, and so does its key (see lasting-answer.ts).
 *
 * @returns how many answers went
 */
export async function pruneAnswers(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'metrics'>,
  signal: AbortSignal,
): Promise<number> {
  const { db, clock, config, metrics } = deps
  const before = new Date(clock.now() - config.REPLAY_RETENTION_DAYS * DAY_MS)
  let after = START
  return pruneInSteps(clock, signal, async limit => {
    const step = await deleteOldAnswers(db, { before, after, limit })
    const { answers, streams, last } = step
    metrics.count('farebox_pruned_rows_total', { table: 'invocation_answers' }, answers)
    metrics.count('farebox_pruned_rows_total', { table: 'invocation_streams' }, streams)
    after = last ?? after
    // A page of which nothing is old: what follows is younger still.
    return { rows: answers, isLast: !step.isOurTurn || answers === 0 }
  })
}
