import type { Tx } from '../../../ports.ts'
import { compareLogPart, type LogScope } from './log-compare-store.ts'
import { keepLogMark, type LogPart, readLogPart, readMarkFaults } from './log-mark-store.ts'
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
    const { findings, isAll } = await compareNext(tx, checkpoint, 'new')
    if (findings.length > 0 || isAll) return findings
  }
  return []
}

/**
 * Compares the next part of the whole log for a checkpoint over everything, except the last part, which
 * {@link compareWholeLog} reads anyway.
 *
 * @param keep stores the findings
 * @returns true if only the last part is left
 */
export async function compareNextLog(
  tx: Tx,
  checkpoint: bigint,
  keep: (findings: readonly Finding[]) => Promise<void>,
): Promise<boolean> {
  const part = await readLogPart(tx, checkpoint, ROWS_PER_STEP)
  if (part.cut === null) return true
  const { findings } = await comparePart(tx, checkpoint, part, 'step')
  if (findings.length > 0) await keep(findings)
  return false
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
    const { findings, isAll } = await compareNext(tx, checkpoint, 'all')
    all.push(...findings)
    if (isAll) return all
  }
}

type Step = { readonly findings: readonly Finding[]; readonly isAll: boolean }

async function compareNext(tx: Tx, checkpoint: bigint, scope: LogScope): Promise<Step> {
  return comparePart(tx, checkpoint, await readLogPart(tx, checkpoint, ROWS_PER_STEP), scope)
}

/** Compares a part and moves the mark over it. The mark of the regular checks stays before rows that differ. */
async function comparePart(tx: Tx, checkpoint: bigint, part: LogPart, scope: LogScope): Promise<Step> {
  const { findings, end, isAll } = await compareLogPart(tx, checkpoint, part, scope)
  if (findings.length === 0 || scope !== 'new') await keepLogMark(tx, checkpoint, part, end)
  return { findings, isAll }
}
