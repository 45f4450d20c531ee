import type { Tx } from '../../../ports.ts'
import { compareLogPart, type LogScope } from './log-compare-store.ts'
import { keepLogMark, readLogPart, readMarkFaults } from './log-mark-store.ts'
import type { Finding } from './reconcile-store.ts'

/** Rows that one step compares, about: some tenths of a second. */
const ROWS_PER_STEP = 1_024
/** Steps of one regular check at most; it goes on with the others the next time. */
const STEPS_PER_CHECK_MAX = 64

/**
 * Compares the rows of the log that have come since a checkpoint was compared with what is projected of them, and moves
 * its mark on over all that was in order.
 */
export async function compareNewLog(tx: Tx, checkpoint: bigint): Promise<readonly Finding[]> {
  const moved = await readMarkFaults(tx, checkpoint)
  if (moved.length > 0) return moved
  for (let step = 1; step <= STEPS_PER_CHECK_MAX; step += 1) {
    const { findings, isAll } = await compareStep(tx, checkpoint, { scope: 'new', keepsBroken: false })
    if (findings.length > 0 || isAll) return findings
  }
  return []
}

/**
 * The next step of comparing the whole log, for a checkpoint over everything.
 *
 * @param keep keeps what was found wrong
 * @returns whether all that is projected has been compared
 */
export async function compareNextLog(
  tx: Tx,
  checkpoint: bigint,
  keep: (findings: readonly Finding[]) => Promise<void>,
): Promise<boolean> {
  const { findings, isAll } = await compareStep(tx, checkpoint, { scope: 'step', keepsBroken: true })
  if (findings.length > 0) await keep(findings)
  return isAll
}

/**
 * Compares the rest of the log for a checkpoint over everything, what the log said last of everything, and the mark that
 * the regular checks came to: the whole log may have been made anew.
 *
 * @param live the checkpoint of the regular checks
 */
export async function compareWholeLog(tx: Tx, checkpoint: bigint, live: bigint): Promise<readonly Finding[]> {
  const all = [...(await readMarkFaults(tx, live))]
  for (;;) {
    const { findings, isAll } = await compareStep(tx, checkpoint, { scope: 'all', keepsBroken: true })
    all.push(...findings)
    if (isAll) return all
  }
}

async function compareStep(
  tx: Tx,
  checkpoint: bigint,
  { scope, keepsBroken }: { scope: LogScope; keepsBroken: boolean },
): Promise<{ findings: readonly Finding[]; isAll: boolean }> {
  const part = await readLogPart(tx, checkpoint, ROWS_PER_STEP)
  const { findings, end, isAll } = await compareLogPart(tx, checkpoint, part, scope)
  if (findings.length === 0 || keepsBroken) await keepLogMark(tx, checkpoint, part, end)
  return { findings, isAll }
}
