import type { ContestantName, Series } from './measure.ts'

/** The least share of the control's calls per second that the gateway must serve, and at how many callers. */
const RATIO_MIN = 0.35
const RATIO_CALLERS = 256
/** The most that the gateway may add to the median latency of a single caller, in ms. */
const ADDED_P50_MS_MAX = 2

/** A control that varies more than this between rounds, most by least, tells of a machine that was busy otherwise. */
const CONTROL_VARIATION_MAX = 1.5

/** Rounds in one figure: the median, and the least and most of them. */
export type Summary = { readonly median: number; readonly least: number; readonly most: number }

/** One contestant at one number of callers. */
export type Line = {
  readonly callers: number
  readonly contestant: ContestantName
  readonly perSecond: Summary
  readonly p50Ms: Summary
  readonly p99Ms: Summary
  /** Share of the control's calls per second, each round beside the control in the same round. */
  readonly ratio: Summary
  /** Median latency beyond the control's, in ms. */
  readonly addedP50Ms: number
}

/** A bar and whether the run met it; null when the run did not measure it. */
export type Bar = { readonly name: string; readonly found: string; readonly isMet: boolean | null }

/** Sums the rounds up, each contestant beside the control at the same number of callers. */
export function linesOf(series: readonly Series[]): Line[] {
  return series.map(({ callers, contestant, rounds }) => {
    const control =
      series.find(other => other.callers === callers && other.contestant === 'control')?.rounds ?? []
    const perSecond = summary(rounds.map(round => round.perSecond))
    const p50Ms = summary(rounds.map(round => round.latency.p50))
    const shares = rounds.map((round, index) => round.perSecond / (control[index]?.perSecond ?? Number.NaN))
    return {
      ...{ callers, contestant, perSecond, p50Ms },
      p99Ms: summary(rounds.map(round => round.latency.p99)),
      ratio: summary(shares),
      addedP50Ms: p50Ms.median - summary(control.map(round => round.latency.p50)).median,
    }
  })
}

/** Holds the lines to the bars. */
export function barsOf(lines: readonly Line[], areBooksExact: boolean): Bar[] {
  const find = (callers: number) =>
    lines.find(line => line.callers === callers && line.contestant === 'gateway, one owner')
  const [busy, alone] = [find(RATIO_CALLERS), find(1)]
  return [
    {
      name: `ratio at ${RATIO_CALLERS} callers at least ${RATIO_MIN}`,
      found: busy === undefined ? 'not measured' : busy.ratio.median.toFixed(3),
      isMet: busy === undefined ? null : busy.ratio.median >= RATIO_MIN,
    },
    {
      name: `added p50 at one caller at most ${ADDED_P50_MS_MAX} ms`,
      found: alone === undefined ? 'not measured' : `${alone.addedP50Ms.toFixed(2)} ms`,
      isMet: alone === undefined ? null : alone.addedP50Ms <= ADDED_P50_MS_MAX,
    },
    { name: 'books exact after the run', found: exactness(areBooksExact), isMet: areBooksExact },
  ]
}

const exactness = (isExact: boolean) => (isExact ? 'exact' : 'NOT exact')

/**
 * What has to be known of the noise before the figures are believed. The control does the same work in every
 * round: where it varies, something else took the machine.
 */
export function noiseOf(lines: readonly Line[]): string[] {
  return lines.flatMap(({ contestant, callers, perSecond: { least, most } }) => {
    if (contestant !== 'control' || most / least <= CONTROL_VARIATION_MAX) return []
    const factor = (most / least).toFixed(1)
    return [
      `noisy: with ${callers} callers the control varied by a factor of ${factor}; run again on a quiet machine`,
    ]
  })
}

/** Median, least and most; NaN of nothing. The median of an even number is the mean of the middle two. */
export function summary(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  const median = ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
  return { median, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN }
}
