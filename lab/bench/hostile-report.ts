import type { HostileFigures } from './hostile.ts'
import type { Section } from './stream-report.ts'
import type { Bar } from './verdict.ts'

/** The most that one answer may hold others up beyond a gateway at rest, in ms. */
const HOLD_MS_MAX = 50
/** The most memory that fifty refused ones at once may take, in MiB. */
const MEMORY_MIB_MAX = 512
/** The longest that a check of health may take beside fifty at once, in ms. */
const CROWD_MS_MAX = 2_000

/** The figures of hostile answers as a table. */
export function hostileSections({ lines, atOnce, restMs, startMiB }: HostileFigures): Section[] {
  return [
    {
      title: 'Hostile answers',
      table: [
        ['answer', 'is', 'longest /health, one, ms', `${atOnce} at once, ms`, 'highest memory so far, MiB'],
        ...lines.map(({ answer, isTaken, oneMs, crowdMs, peakMiB }) => [
          ...[answer, isTaken ? 'passed on' : 'too_large'],
          ...[oneMs.toFixed(0), crowdMs.toFixed(0), peakMiB.toFixed(0)],
        ]),
      ],
      notes: [
        `GET /health of the gateway at rest took ${restMs.toFixed(0)} ms at most, and its memory was ` +
          `${startMiB?.toFixed(0) ?? 'unknown'} MiB.`,
      ],
    },
  ]
}

/** Holds them to their bars. */
export function hostileBarsOf({ lines, atOnce, restMs }: HostileFigures): Bar[] {
  const oneMs = Math.max(...lines.map(line => line.oneMs)) - restMs
  const crowdMs = Math.max(...lines.map(line => line.crowdMs))
  const refusedMiB = Math.max(...lines.filter(line => !line.isTaken).map(line => line.peakMiB))
  return [
    {
      name: `one hostile answer holds others up at most ${HOLD_MS_MAX} ms longer than rest`,
      found: `${oneMs.toFixed(0)} ms`,
      isMet: oneMs <= HOLD_MS_MAX,
    },
    {
      name: `/health beside ${atOnce} hostile answers at most ${CROWD_MS_MAX} ms`,
      found: `${crowdMs.toFixed(0)} ms`,
      isMet: crowdMs <= CROWD_MS_MAX,
    },
    {
      name: `memory with ${atOnce} refused answers at most ${MEMORY_MIB_MAX} MiB`,
      found: `${refusedMiB.toFixed(0)} MiB`,
      isMet: refusedMiB <= MEMORY_MIB_MAX,
    },
  ]
}

/** What of the verdict is no bar. */
export function hostileFindings({ errors }: HostileFigures): string[] {
  const [first] = errors
  return first === undefined ? [] : [`${errors.length} wrong answers, the first: ${first}`]
}
