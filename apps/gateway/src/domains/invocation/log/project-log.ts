import type { Deps } from '../../../ports.ts'
import { catchUp } from '../../ledger/read-current.ts'

/** Minimum delay of the projection, in ms; longer delays are multiples. */
const PAUSE_MS = 100
/**
 * Maximum delay, in minimum delays. In a long one most calls begin and end, and are written once instead of twice, as
 * are the rows of an owner with several calls.
 */
const PAUSES_MAX = 10
/** Target for unprojected log rows: a reader projects them before it reads. */
const ROWS_MAX = 1_024

/** Projects the log into the tables, in the background. */
export type Projector = {
  /** Notifies it of an append. */
  wake(): void
  /** Ends the delay. Resolves when everything appended by this gateway is projected, or the projection failed. */
  idle(): Promise<void>
}

/**
 * Projects many batches at once, after a delay that shrinks as more is appended. Readers of the tables project first,
 * so nobody waits for this (see readsCurrent): after a failure, a reader or the next batch projects.
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

/** Returns the delay, in minimum delays, given the rows that arrived during the last one. */
const pausesAfter = (pauses: number, rows: number): number =>
  Math.max(1, Math.min(PAUSES_MAX, Math.floor((pauses * ROWS_MAX) / Math.max(rows, 1))))
