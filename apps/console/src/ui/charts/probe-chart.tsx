import { formatMs } from '../values/measures.tsx'
import { Chart } from './chart.tsx'
import type { Probes } from './probes.ts'

/** In pixels. */
export const PROBE_CHART_HEIGHT = 140

/** A chart of a target's probe latencies, with gaps for failed probes. */
export function ProbeChart({ name, probes }: { name: string; probes: Probes }) {
  const { count, answered, times, series } = probes
  return (
    <Chart
      label={`${name}: ${answered} of ${count} probes answered well`}
      height={PROBE_CHART_HEIGHT}
      times={times}
      series={series}
      format={formatMs}
    />
  )
}
