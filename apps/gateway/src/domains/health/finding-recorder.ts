import type { Clock } from '../../ports.ts'
import { type KeepDeps, type KeptFinding, keepFindings } from './keep-findings.ts'

/** Maximum number of findings per transaction. */
const BATCH_MAX = 500
/** Number of attempts to write a finding whose target is locked. */
const OFFERS_MAX = 5

/** Writes findings in batches. */
export type FindingRecorder = {
  /** Resolves when the finding is written, or its target no longer exists. */
  record(finding: KeptFinding): Promise<void>
}

type Offer = {
  readonly finding: KeptFinding
  readonly offers: number
  readonly done: () => void
  readonly fail: (error: unknown) => void
}

/**
 * Returns a recorder that writes a batch after each pause. At a thousand probes per second, a transaction for each
 * would dominate the work.
 *
 * @param pauseMs from the first finding to the transaction that writes it
 */
export function createFindingRecorder(
  deps: KeepDeps & { clock: Pick<Clock, 'pause'> },
  pauseMs: number,
): FindingRecorder {
  let waiting: Offer[] = []
  let isArmed = false

  const flush = async (): Promise<void> => {
    const batch = waiting.slice(0, BATCH_MAX)
    waiting = waiting.slice(BATCH_MAX)
    try {
      const marked = await keepFindings(
        deps,
        batch.map(({ finding }) => finding),
        { isPatient: false },
      )
      for (const [index, offer] of batch.entries()) {
        const isBusy = marked[index]?.kind === 'busy'
        if (isBusy && offer.offers < OFFERS_MAX) waiting.push({ ...offer, offers: offer.offers + 1 })
        else offer.done()
      }
    } catch (error) {
      for (const offer of batch) offer.fail(error)
    }
  }
  const arm = (): void => {
    if (isArmed) return
    isArmed = true
    void deps.clock
      .pause(pauseMs)
      .then(flush)
      .finally(() => {
        isArmed = false
        if (waiting.length > 0) arm()
      })
  }

  return {
    record: finding =>
      new Promise<void>((done, fail) => {
        waiting.push({ finding, offers: 1, done, fail })
        arm()
      }),
  }
}
