import type { EnduranceFigures } from './endurance.ts'
import { booksBar, soundnessFindings } from './open-loop-run.ts'
import type { Section } from './stream-report.ts'
import type { Bar } from './verdict.ts'

/** The most resident memory that the gateway may have under load, in MiB. */
const PEAK_MIB_MAX = 250
/** The most that its memory may grow in a minute and still be called flat, in MiB. */
const GROWTH_MIB_PER_MINUTE_MAX = 1
/** In a shorter run, in minutes, the swing of the garbage collector is more than any growth. */
const TREND_MINUTES_MIN = 5

/** The memory under load as a table. */
export function enduranceSections(figures: EnduranceFigures): Section[] {
  const { callers, minutes, goodPerSecond, shedPerSecond, p99Ms, memory } = figures
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
          ...[String(callers), String(minutes), goodPerSecond.toFixed(0), shedPerSecond.toFixed(0)],
          ...[p99Ms.toFixed(1), told(memory?.beforeMiB), told(memory?.peakMiB)],
          `${told(trend?.leastMiB)} - ${told(trend?.mostMiB)}`,
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

/** Holds it to its bars. */
export function enduranceBarsOf(figures: EnduranceFigures): Bar[] {
  const { minutes, callers, memory } = figures
  const growth = memory?.trend.mibPerMinute
  const isLong = minutes >= TREND_MINUTES_MIN
  return [
    {
      name: `memory at ${callers} callers at most ${PEAK_MIB_MAX} MiB`,
      found: memory === null ? 'unknown' : `${memory.peakMiB.toFixed(0)} MiB after ${minutes} minutes`,
      isMet: memory === null ? null : memory.peakMiB <= PEAK_MIB_MAX,
    },
    {
      name: `memory is flat: it grows by at most ${GROWTH_MIB_PER_MINUTE_MAX} MiB a minute`,
      found:
        growth === undefined
          ? 'unknown'
          : `${growth.toFixed(2)} MiB a minute${isLong ? '' : `, less than ${TREND_MINUTES_MIN} minutes watched`}`,
      isMet: growth === undefined || !isLong ? null : growth <= GROWTH_MIB_PER_MINUTE_MAX,
    },
    booksBar(figures, 'the long load'),
  ]
}

/** What of the verdict is no bar. */
export const enduranceFindings = (figures: EnduranceFigures): string[] => soundnessFindings(figures, 'memory')

const told = (mib: number | undefined): string => (mib === undefined ? 'unknown' : mib.toFixed(0))
