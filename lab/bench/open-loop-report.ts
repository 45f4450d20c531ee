import { BAR_SHARE, type OpenFigures, type OpenLine } from './open-loop.ts'
import { booksBar, soundnessFindings } from './open-loop-run.ts'
import type { Section } from './stream-report.ts'
import { withSpread } from './table.ts'
import type { Bar } from './verdict.ts'

/** The most that the 99th percentile at half load may take, in ms. */
const P99_MS_MAX = 15

/** The figures of the open loop as a table. */
export function openSections({ callers, seconds, rounds, lines }: OpenFigures): Section[] {
  return [
    {
      title: 'Latency under arrivals that do not wait for answers',
      table: [
        [
          ...['contestant', 'load', 'maximum/s', 'due/s', 'good/s (rounds)', 'p50 ms', 'p99 ms (rounds)'],
          ...['p99.9 ms', 'longest ms', 'p99 ms from sending'],
        ],
        ...lines.map(cellsOf),
      ],
      notes: [
        `${rounds} rounds of ${seconds} s. The maximum is that of a closed loop of ${callers} callers in the same ` +
          'round; the load is a share of it, and its calls come at random times (exponential gaps) whatever the ' +
          'answers do. Latency is from when a call was due, its wait for one of ' +
          `${callers} connections included; in the last column it is from when it was sent.`,
        ...lines.flatMap(leftOver),
      ],
    },
  ]
}

/** Holds them to their bars. */
export function openBarsOf(figures: OpenFigures): Bar[] {
  const half = figures.lines.find(({ contestant, share }) => contestant === 'gateway' && share === BAR_SHARE)
  const p99 = half?.latency.p99.median
  return [
    {
      name: `p99 at half load at most ${P99_MS_MAX} ms (open loop)`,
      found: p99 === undefined ? 'not measured' : `${p99.toFixed(1)} ms`,
      isMet: p99 === undefined ? null : p99 <= P99_MS_MAX,
    },
    booksBar(figures, 'the open loop'),
  ]
}

/** What of the verdict is no bar. */
export const openFindings = (figures: OpenFigures): string[] => soundnessFindings(figures, 'open loop')

function cellsOf({ contestant, share, maximum, due, good, latency, served }: OpenLine): string[] {
  return [
    ...[contestant, `${share * 100} %`, maximum.median.toFixed(0), due.median.toFixed(0)],
    ...[withSpread(good, 0), latency.p50.median.toFixed(1), withSpread(latency.p99, 1)],
    ...[latency.p999.median.toFixed(1), latency.max.most.toFixed(0), served.p99.median.toFixed(1)],
  ]
}

function leftOver({ contestant, share, shed, unsent }: OpenLine): string[] {
  if (shed.most === 0 && unsent === 0) return []
  const load = `${contestant} at ${share * 100} %`
  return [`${load}: up to ${shed.most.toFixed(0)} calls/s were shed and ${unsent} never sent.`]
}
