import type { EnduranceFigures } from './endurance.ts'
import type { Reached } from './figures.ts'
import { soundnessFindings } from './open-loop-run.ts'
import type { Section } from './stream-report.ts'

/** In a shorter run, in minutes, the swing of the garbage collector is more than any growth. */
const TREND_MINUTES_MIN = 5

/** The memory under load as a table. */
export function enduranceSections(figures: EnduranceFigures): Section[] {
  const { callers, minutes, perSecond, shedPerSecond, p99Ms, memory } = figures
  const { trend } = memory ?? {}
  return [
    {
      title: 'Memory under load',
      table: [
        [
          ...['callers', 'minutes', 'calls/s', 'sheds/s', 'p99 ms', 'MiB before', 'MiB peak'],
          ...['MiB least - most', 'MiB per minute'],
        ],
        [
          ...[String(callers), String(minutes), perSecond.toFixed(0), shedPerSecond.toFixed(0)],
          ...[p99Ms.toFixed(1), format(memory?.beforeMiB), format(memory?.peakMiB)],
          `${format(trend?.leastMiB)} - ${format(trend?.mostMiB)}`,
          trend === undefined ? 'unknown' : trend.mibPerMinute.toFixed(2),
        ],
      ],
      notes: [
        'Resident memory of the process of the gateway. The peak is of all the time after the warm-up; least, most ' +
          'and growth (by least squares) are of the last two thirds of it' +
          `${memory === null ? '' : `, ${memory.samples.length} samples in all`}.`,
      ],
    },
  ]
}

/** What of the figures of the core this is. */
export const enduranceReached = ({ minutes, memory }: EnduranceFigures): Reached => ({
  memory: memory?.peakMiB ?? null,
  memoryGrowth: minutes < TREND_MINUTES_MIN ? null : (memory?.trend.mibPerMinute ?? null),
})

/** What of the verdict is no bar. */
export const enduranceFindings = (figures: EnduranceFigures): string[] => soundnessFindings(figures, 'memory')

const format = (mib: number | undefined): string => (mib === undefined ? 'unknown' : mib.toFixed(0))
