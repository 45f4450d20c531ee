import type { Tx } from '../../../ports.ts'
import { compareLogPart, type LogScope } from './log-compare-store.ts'
import { keepLogMark, readLogPart, readMarkFaults } from './log-mark-store.ts'
import type { Finding } from './reconcile-store.ts'

/** Approximate rows per step: some tenths of a second. */
const ROWS_PER_STEP = 1_024
/** Maximum steps per regular check; the next check continues. */
const STEPS_PER_CHECK_MAX = 64

/** Compares new log rows with their projection, and moves the checkpoint's mark over the rows that match. */
export async function compareNewLog(tx: Tx, checkpoint: bigint): Promise<readonly Finding[]> {
  const moved = await readMarkFaults(tx, checkpoint)
  if (moved.length > 0) return moved
  for (let step = 1; step <= STEPS_PER_CHECK_MAX; step += 1) {
    const { findings, isAll } = await compareStep(tx, checkpoint, 'new')
    if (findings.length > 0 || isAll) return findings
  }
  return []
}

/**
 * Compares the next part of the whole log for a checkpoint over everything.
 *
 * @param keep stores the findings
 * @returns true if all projected rows were compared
 */
export async function compareNextLog(
  tx: Tx,
  checkpoint: bigint,
  keep: (findings: readonly Finding[]) => Promise<void>,
): Promise<boolean> {
  const { findings, isAll } = await compareStep(tx, checkpoint, 'step')
  if (findings.length > 0) await keep(findings)
  return isAll
}

/**
 * Compares the rest of the log for a checkpoint over everything, the last state of each record in the log, and the mark
 * of the regular checks: the whole log may have been rewritten.
 *
 * @param live checkpoint of the regular checks
 */
export async function compareWholeLog(tx: Tx, checkpoint: bigint, live: bigint): Promise<readonly Finding[]> {
  const all = [...(await readMarkFaults(tx, live))]
  for (;;) {
    const { findings, isAll } = await compareStep(tx, checkpoint, 'all')
    all.push(...findings)
    if (isAll) return all
  }
}

/** Compares the next part and moves the mark over it. The mark of the regular checks stays before rows that differ. */
async function compareStep(
  tx: Tx,
  checkpoint: bigint,
  scope: LogScope,
): Promise<{ findings: readonly Finding[]; isAll: boolean }> {
  const part = await readLogPart(tx, checkpoint, ROWS_PER_STEP)
  const { findings, end, isAll } = await compareLogPart(tx, checkpoint, part, scope)
  if (findings.length === 0 || scope !== 'new') await keepLogMark(tx, checkpoint, part, end)
  return { findings, isAll }
}
