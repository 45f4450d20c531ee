import type { Clock, Deps } from '../ports.ts'
import type { LabelsOf } from '../telemetry/instruments.ts'

/** Maximum and minimum rows deleted per step. */
export const STEP_ROWS_MAX = 1_000
const STEP_ROWS_MIN = 50
/** Target duration of a step, in ms: deleting large answers takes a hundred times longer than small ones. */
const STEP_MS = 25
/** Maximum duration of a run, in ms; the next run continues. */
const RUN_MS_MAX = 300_000
/** Pause after a step, in multiples of its duration: pruning gets at most a fifth of the time. */
const PAUSE_PER_STEP_TIME = 4
const PAUSE_MS_MIN = 5
const PAUSE_MS_MAX = 500

/** Result of a step; `isLast`: nothing is left for now. */
export type PruneStep = { readonly rows: number; readonly isLast: boolean }

/**
 * Deletes old rows in small steps with pauses, each a statement of its own, so that others wait for one step at most;
 * the next run continues. Adapts the step size to the duration of steps.
 *
 * @param signal ends the run after the current step
 * @param step   processes `limit` rows
 * @returns the number of deleted rows
 */
export async function pruneInSteps(
  clock: Clock,
  signal: AbortSignal,
  step: (limit: number) => Promise<PruneStep>,
): Promise<number> {
  const endAt = clock.elapsed() + RUN_MS_MAX
  let rows = 0
  let limit = STEP_ROWS_MAX
  for (let from = clock.elapsed(); from < endAt && !signal.aborted; from = clock.elapsed()) {
    const done = await step(limit)
    rows += done.rows
    if (done.isLast) break
    const tookMs = clock.elapsed() - from
    limit = nextLimit(limit, tookMs)
    await clock.pause(Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, tookMs * PAUSE_PER_STEP_TIME)))
  }
  return rows
}

/**
 * {@link pruneInSteps} for steps that delete as many rows as they may, until there are fewer; counted by table.
 *
 * @param deleteSome deletes `limit` rows at most, and returns how many
 */
export function pruneTable(
  { clock, metrics }: Pick<Deps, 'clock' | 'metrics'>,
  { table }: LabelsOf<'farebox_pruned_rows_total'>,
  signal: AbortSignal,
  deleteSome: (limit: number) => Promise<number>,
): Promise<number> {
  return pruneInSteps(clock, signal, async limit => {
    const rows = await deleteSome(limit)
    metrics.count('farebox_pruned_rows_total', { table }, rows)
    return { rows, isLast: rows < limit }
  })
}

function nextLimit(limit: number, tookMs: number): number {
  const next = tookMs > STEP_MS ? limit / 2 : limit * 2
  return Math.min(STEP_ROWS_MAX, Math.max(STEP_ROWS_MIN, Math.floor(next)))
}
