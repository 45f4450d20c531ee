import { type Summary, summary } from '../../kit/tables.ts'
import type { Reached } from '../figures.ts'
import { CONTESTANTS, type ContestantName } from './contestants.ts'
import type { MeasuredRound, Series } from './measure.ts'

/** Numbers of callers for figures of calls per second, and of latency. */
export const BUSY_CALLERS = 256
export const ALONE = 1

/** A control that varies more than this between rounds, most by least, means that the machine was busy otherwise. */
const CONTROL_VARIATION_MAX = 1.5

/** One contestant at one number of callers. */
export type Line = {
  readonly callers: number
  readonly contestant: ContestantName
  readonly perSecond: Summary
  /** Answers of "try later" per second, which are no wrong ones and count for nothing else. */
  readonly shedPerSecond: Summary
  readonly p50Ms: Summary
  readonly p99Ms: Summary
  /** Processor time per good answer, in microseconds: of its own processes, and of the database. */
  readonly serverMicros: Summary
  readonly databaseMicros: Summary
  /** Share of the control's calls per second, each round beside the control in the same round. */
  readonly ratio: Summary
}

/** Returns null of nothing. */
const summaryOrNull = (values: readonly number[]): Summary | null =>
  values.length === 0 ? null : summary(values)

/** Sums the rounds up, each contestant beside the control at the same number of callers. */
export function linesOf(series: readonly Series[]): Line[] {
  return series.map(({ callers, contestant, rounds }) => {
    const ratio = ratioOf(series, { callers, of: contestant, by: 'control' })
    return {
      callers,
      contestant,
      perSecond: summary(rounds.map(round => round.perSecond)),
      shedPerSecond: summary(rounds.map(round => round.shedPerSecond)),
      p50Ms: summary(rounds.map(round => round.latency.p50)),
      p99Ms: summary(rounds.map(round => round.latency.p99)),
      serverMicros: summary(rounds.map(({ micros }) => micros.servers)),
      databaseMicros: summary(rounds.map(({ micros }) => micros.database)),
      ratio: ratio ?? summary([]),
    }
  })
}

/**
 * A value of contestants at the same number of callers, of each round side by side; empty when one of them was not
 * measured.
 */
function sideBySide<Name extends ContestantName>(
  series: readonly Series[],
  { callers, of }: { callers: number; of: readonly Name[] },
  report: (round: Readonly<Record<Name, MeasuredRound>>) => number,
): number[] {
  const found = of.map(
    name => series.find(one => one.callers === callers && one.contestant === name)?.rounds ?? [],
  )
  return Array.from({ length: Math.min(...found.map(rounds => rounds.length)) }, (_, round) =>
    report(
      Object.fromEntries(of.map((name, index) => [name, found[index]?.[round]])) as Record<
        Name,
        MeasuredRound
      >,
    ),
  )
}

/** Calls per second of one contestant by those of another, round by round; null when one of them was not measured. */
export function ratioOf(
  series: readonly Series[],
  { callers, of, by }: { callers: number; of: ContestantName; by: ContestantName },
): Summary | null {
  return summaryOrNull(
    sideBySide(series, { callers, of: [of, by] }, round => round[of].perSecond / round[by].perSecond),
  )
}

/** Returns the figures that these rounds measured. */
export function reachedBy(series: readonly Series[]): Reached {
  const busyRatio = (of: ContestantName, by: ContestantName) =>
    ratioOf(series, { callers: BUSY_CALLERS, of, by })
  const busy = (report: (round: Record<'spread' | 'control', MeasuredRound>) => number) =>
    summaryOrNull(sideBySide(series, { callers: BUSY_CALLERS, of: ['spread', 'control'] }, report))
  const alone = (report: (round: Record<'hot' | 'inserts' | 'control', MeasuredRound>) => number) =>
    summaryOrNull(sideBySide(series, { callers: ALONE, of: ['hot', 'inserts', 'control'] }, report))
  return {
    gatewayTime: busy(({ spread, control }) => spread.micros.servers / control.micros.servers),
    databaseTime: busy(({ spread, control }) => spread.micros.database / control.micros.servers),
    oneOwner: busyRatio('hot', 'control'),
    manyOwners: busyRatio('spread', 'control'),
    hotBySpread: busyRatio('hot', 'spread'),
    spreadByHot: busyRatio('spread', 'hot'),
    replays: busyRatio('replay', 'control'),
    aloneP50: alone(
      ({ hot, inserts, control }) => hot.latency.p50 / (inserts.latency.p50 + control.latency.p50),
    ),
    aloneP99: alone(({ hot }) => hot.latency.p99 / hot.latency.p50),
  }
}

/**
 * Returns warnings of noise. The control does the same work in every
 * round: where it varies, something else took the machine.
 */
export function noiseOf(lines: readonly Line[]): string[] {
  return lines.flatMap(({ contestant, callers, perSecond: { least, most } }) => {
    if (contestant !== 'control' || most / least <= CONTROL_VARIATION_MAX) return []
    const factor = (most / least).toFixed(1)
    return [
      `noisy: with ${callers} callers the plain proxy varied by a factor of ${factor}; run again on a quiet machine`,
    ]
  })
}

/** Returns at how many callers calls were shed. */
export function shedsOf(lines: readonly Line[]): string[] {
  return lines.flatMap(({ callers, contestant, shedPerSecond: { median, most } }) => {
    if (most === 0) return []
    const sheds = `${median.toFixed(0)} calls/s were told to try later`
    return [`${CONTESTANTS[contestant]}, ${callers} callers: ${sheds}`]
  })
}
