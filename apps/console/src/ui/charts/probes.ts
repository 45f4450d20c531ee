/** What was found out about a target at one moment: by a probe, or by a call. */
export type Finding = {
  readonly source: string
  readonly status: string
  readonly latencyMs: number | null
  readonly checkedAt: string
}

/** What probes say of a target, to be drawn. */
export type Probes = {
  readonly count: number
  /** Those that were answered well. */
  readonly answered: number
  /** Unix seconds, ascending. */
  readonly times: readonly number[]
  /** Latencies in ms; null where a probe was not answered well. */
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
}

/**
 * Reads the probes of a history; what calls have found is left out, as they come when they come.
 *
 * @param history the newest first
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
