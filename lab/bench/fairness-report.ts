import type { FairnessFigures, FairnessLine } from './fairness.ts'
import { booksBar, soundnessFindings } from './open-loop-run.ts'
import type { Section } from './stream-report.ts'
import { withSpread } from './table.ts'
import type { Bar } from './verdict.ts'

/** The most that a hot owner may make of another owner's 99th percentile. */
const RATIO_MAX = 1.2

/** What one owner finds beside others, as a table. */
export function fairnessSections(figures: FairnessFigures): Section[] {
  const { perSecond, callers, owners, seconds, rounds, lines, ratio } = figures
  return [
    {
      title: 'One owner beside others',
      table: [
        [
          ...['beside', 'their calls/s (rounds)', 'their sheds/s', 'his good / refused', 'his p50 ms'],
          ...['his p99 ms (rounds)', 'his p99 ms, all rounds', 'longest ms'],
        ],
        ...lines.map(cellsOf),
      ],
      notes: [
        `One owner whose ${perSecond} calls per second come at random times, ${rounds} rounds of ${seconds} s, ` +
          `beside ${callers} callers that belong to ${owners} owners or all to one. Latency is from when a call was ` +
          'due. No other owner calls his service. Beside one hot owner, his p99 over all rounds is ' +
          `${ratio.toFixed(2)} times that beside many.`,
      ],
    },
  ]
}

/** Holds them to their bars. */
export function fairnessBarsOf(figures: FairnessFigures): Bar[] {
  const { lines, ratio } = figures
  const refused = lines.find(({ surrounding }) => surrounding === 'one hot owner')?.refused ?? 0
  return [
    {
      name: `p99 of an owner beside a hot one at most ${RATIO_MAX} times that beside many, and none of his calls refused`,
      found: `${ratio.toFixed(2)}, ${refused} refused`,
      isMet: ratio <= RATIO_MAX && refused === 0,
    },
    booksBar(figures, 'the hot owner'),
  ]
}

/** What of the verdict is no bar. */
export const fairnessFindings = (figures: FairnessFigures): string[] => soundnessFindings(figures, 'fairness')

function cellsOf(line: FairnessLine): string[] {
  const { surrounding, background, backgroundShed, good, refused, latency, p99Ms } = line
  return [
    ...[surrounding, background === null ? '' : withSpread(background, 0)],
    ...[backgroundShed === null ? '' : backgroundShed.median.toFixed(0), `${good} / ${refused}`],
    ...[latency.p50.toFixed(1), withSpread(p99Ms, 1), latency.p99.toFixed(1), latency.max.toFixed(0)],
  ]
}
