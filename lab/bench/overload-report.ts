import { booksBar, soundnessFindings } from './open-loop-run.ts'
import type { OverloadFigures, OverloadLine } from './overload.ts'
import type { Section } from './stream-report.ts'
import { withSpread } from './table.ts'
import type { Bar } from './verdict.ts'

/** The least share of the good answers at saturation that there must be at twice that load. */
const RATIO_MIN = 0.9

/** The figures past saturation as a table. */
export function overloadSections(figures: OverloadFigures): Section[] {
  const { callers, connections, seconds, rounds, lines } = figures
  return [
    {
      title: 'More than the gateway can serve',
      table: [
        [
          ...['load', 'due/s', 'good/s (rounds)', 'shed/s', 'ratio (rounds)', 'p50 ms', 'p99 ms (rounds)'],
          ...['p99.9 ms', 'p99 ms from due', 'never sent'],
        ],
        ...lines.map(cellsOf),
      ],
      notes: [
        `${rounds} rounds; the open loop ran for ${seconds} s on ${connections} connections, and its calls came at ` +
          `random times at twice the rate that ${callers} callers had in the same round. A ratio is that of good ` +
          'answers to theirs. Sheds are answers of 503 with a time after which to try again: they cost nothing; the ' +
          'open loop does not try again, closed loops do when they were told to. Latency is of good answers, from ' +
          'when the call was sent, and in the column before the last from when it was due.',
      ],
    },
  ]
}

/** Holds them to their bars. */
export function overloadBarsOf(figures: OverloadFigures): Bar[] {
  return [
    ...figures.lines
      .filter(({ isTwice }) => isTwice)
      .map(({ load, ratio }) => ({
        name: `at twice the saturating load at least ${RATIO_MIN} of the maximum (${load})`,
        found: ratio.median.toFixed(3),
        isMet: ratio.median >= RATIO_MIN,
      })),
    booksBar(figures, 'the overload'),
  ]
}

/** What of the verdict is no bar. */
export const overloadFindings = (figures: OverloadFigures): string[] => soundnessFindings(figures, 'overload')

function cellsOf({ load, due, good, shed, ratio, served, latency, unsent }: OverloadLine): string[] {
  return [
    ...[load, due.median.toFixed(0), withSpread(good, 0), shed.median.toFixed(0), withSpread(ratio, 3)],
    ...[served.p50.median.toFixed(1), withSpread(served.p99, 1), served.p999.median.toFixed(1)],
    ...[latency.p99.median.toFixed(1), String(unsent)],
  ]
}
