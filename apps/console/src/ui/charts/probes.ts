/** A check of a target at one point in time, by a probe or by a call. */
export type Finding = {
  readonly source: string
  readonly status: string
  readonly latencyMs: number | null
  readonly checkedAt: string
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
