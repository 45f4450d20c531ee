import type { Crowd } from './crowd.ts'
import type { ModelFigures } from './model-parts.ts'
import type { Bar } from './verdict.ts'

/** Resident memory of the gateway at its highest, in MiB, and the size of the crowd for which that is asked. */
const PEAK_MIB_MAX = 400
const CROWD = { streams: 1_000, chunks: 200 } as const

const NOT_MEASURED = { found: 'not measured', isMet: null } as const

/** Holds the figures of streams to their bars. */
export function streamBarsOf({ full, cuts, books }: ModelFigures): Bar[] {
  return [
    {
      name: `${CROWD.streams} streams of ${CROWD.chunks} chunks at once, none lost, all charged exactly`,
      ...(full === null
        ? NOT_MEASURED
        : {
            found: `${full.ends.whole} whole, ${full.openMost} at once, books ${full.books.isExact ? 'exact' : 'NOT exact'}`,
            isMet: isFullSize(full)
              ? full.ends.lost === 0 && full.openMost >= CROWD.streams && full.books.isExact
              : null,
          }),
    },
    {
      name: `memory of the gateway at its peak below ${PEAK_MIB_MAX} MiB`,
      ...(full === null || full.memory === null
        ? NOT_MEASURED
        : {
            found: `${full.memory.peakMiB.toFixed(0)} MiB`,
            isMet: isFullSize(full) ? full.memory.peakMiB < PEAK_MIB_MAX : null,
          }),
    },
    {
      name: 'books exact with 5 % of streams cut and 5 % of callers gone, nothing held after the window',
      ...(cuts === null
        ? NOT_MEASURED
        : {
            found: `${cuts.crowd.ends.cut} cut, ${cuts.crowd.ends.left} left, ${cuts.crowd.ends.lost} lost; ${cuts.release.books.heldUsdc} USDC held at last`,
            isMet: cuts.crowd.ends.lost === 0 && cuts.crowd.books.isExact && isReleased(cuts.release),
          }),
    },
    {
      name: 'books exact after all calls of the model',
      found: books.isExact ? 'exact' : 'NOT exact',
      isMet: books.isExact,
    },
  ]
}

/** Whether nothing was lost or charged wrongly: what a run must not end well without. */
export function isSound({ firstByte, full, cuts, llm, books }: ModelFigures): boolean {
  const crowds = [full, cuts?.crowd].filter(crowd => crowd != null)
  return (
    books.isExact &&
    (firstByte?.lost ?? 0) === 0 &&
    (llm?.errors ?? 0) === 0 &&
    crowds.every(({ ends, books: { isExact } }) => ends.lost === 0 && isExact) &&
    (cuts === null || isReleased(cuts.release))
  )
}

const isReleased = ({ books, wrong }: NonNullable<ModelFigures['cuts']>['release']): boolean =>
  books.isExact && wrong.length === 0

const isFullSize = ({ streams, chunksEach }: Crowd): boolean =>
  streams >= CROWD.streams && chunksEach >= CROWD.chunks
