import type { Deps } from '../../../ports.ts'
import { catchUp } from '../../ledger/read-current.ts'

/** Shortest pause before what was appended is projected, in ms; longer ones are multiples of it. */
const PAUSE_MS = 100
/**
 * Longest pause, in shortest ones. In a long one most calls begin and end, and are written once instead of twice, and so
 * are the rows of an owner that calls again.
 */
const PAUSES_MAX = 10
/** Rows of the log that the pause aims to leave at most: a reader projects them before it reads. */
const ROWS_MAX = 1_024

/** Projects the log into the tables, in the background. */
export type Projector = {
  /** To be called when something was appended. */
  wake(): void
  /** Ends the pause. Resolves when all that this gateway has appended is projected, or could not be. */
  idle(): Promise<void>
}

/**
 * Projects what was appended, many batches at once: after a pause, which is shorter the more is appended. Whoever reads
 * the tables projects first, so nobody waits for this (see readsCurrent): what fails here is done by them, or after the
 * next batch.
 */
export function createProjector({ batchDb, clock, log }: Pick<Deps, 'batchDb' | 'clock' | 'log'>): Projector {
  let isAwake = false
  let isHurried = false
  let pauses = PAUSES_MAX
  let running: Promise<void> | null = null

  const run = async () => {
    while (isAwake) {
      let made = 0
      do {
        await clock.pause(PAUSE_MS)
        made += 1
      } while (made < pauses && !isHurried)
      isAwake = false
      try {
        pauses = pausesAfter(made, await catchUp(batchDb))
      } catch (error) {
        log.warn({ err: error }, 'the log could not be projected')
      }
    }
    running = null
  }
  return {
    wake() {
      isAwake = true
      running ??= run()
    },
    async idle() {
      isHurried = true
      await running
      isHurried = false
    },
  }
}

/** Returns how many pauses to make, when so many were followed by so many rows of the log. */
const pausesAfter = (pauses: number, rows: number): number =>
  Math.max(1, Math.min(PAUSES_MAX, Math.floor((pauses * ROWS_MAX) / Math.max(rows, 1))))
