/** A check of a target at one point in time, by a probe or by a call. */
export type Finding = {
  readonly source: string
  readonly status: string
  readonly latencyMs: number | null
  readonly checkedAt: string
}

/** How the checks of a slice of time went; null without checks. */
export type Mark = 'good' | 'bad' | null

/**
 * Divides a span of Unix seconds into `count` slices, oldest first. A slice with a failed check is bad.
 */
export function markSlices(
  history: readonly Finding[],
  [first, last]: readonly [number, number],
  count: number,
): Mark[] {
  const marks: Mark[] = Array.from({ length: count }, () => null)
  for (const { checkedAt, status } of history) {
    const share = (Date.parse(checkedAt) / 1_000 - first) / (last - first)
    if (share < 0 || share > 1) continue
    const index = Math.min(count - 1, Math.floor(share * count))
    marks[index] = status === 'healthy' && marks[index] !== 'bad' ? 'good' : 'bad'
  }
  return marks
}

/** The probes of a target, as chart series. */
export type Probes = {
  readonly count: number
  /** Number of probes that succeeded. */
  readonly answered: number
  /** Unix seconds, ascending. */
  readonly times: readonly number[]
  /** Latencies in ms; null for a failed probe. */
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
}

/**
 * Extracts the probes of a history. Findings of calls are left out, because they are not regular.
 *
 * @param history newest first
 */
export function readProbes(history: readonly Finding[]): Probes {
  const probes = history.filter(({ source }) => source === 'probe').toReversed()
  const isGood = ({ status }: Finding) => status === 'healthy'
  return {
    count: probes.length,
    answered: probes.filter(isGood).length,
    times: probes.map(({ checkedAt }) => Date.parse(checkedAt) / 1_000),
    series: [{ label: 'Latency', values: probes.map(probe => (isGood(probe) ? probe.latencyMs : null)) }],
  }
}
