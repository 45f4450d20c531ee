import type { Clock, Deps } from '../ports.ts'
import type { LabelsOf } from '../telemetry/instruments.ts'

/** Rows that a step deletes at most, and at least. */
export const STEP_ROWS_MAX = 1_000
const STEP_ROWS_MIN = 50
/** What a step shall take, in ms: large answers take the database a hundred times as long as small ones. */
const STEP_MS = 25
/** Longest run, in ms; what is left over is for the next one. */
const RUN_MS_MAX = 300_000
/** Pause after a step: some times what it took, so that pruning has a fifth of the time at most, and never none. */
const PAUSE_PER_STEP_TIME = 4
const PAUSE_MS_MIN = 5
const PAUSE_MS_MAX = 500

/** What a step did; `isLast`: nothing is left to do for now. */
export type PruneStep = { readonly rows: number; readonly isLast: boolean }

/**
 * Deletes what is old in small steps with pauses between them, each of them a statement of its own: whoever waits for
 * the database waits for one step at most, and what a run that ends early leaves over is found by the next. Steps that
 * take long become smaller, and larger again when they do not.
 *
 * @param signal ends the run after the step under way
 * @param step   looks at `limit` rows
 * @returns rows that were deleted
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
 * {@link pruneInSteps} for rows of which a step deletes as many as it may, until there are fewer; counted by their table.
 *
 * @param deleteSome deletes `limit` rows at most, and says how many
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
