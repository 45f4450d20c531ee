import { formatMs } from '../values/format-measures.ts'
import { Chart } from './chart.tsx'
import type { ChartSpan } from './chart-canvas.tsx'
import type { Probes } from './probes.ts'

/** In pixels. */
export const PROBE_CHART_HEIGHT = 140

/** A chart of a target's probe latencies over a span of Unix seconds, with gaps for failed probes. */
export function ProbeChart({ name, probes, span }: { name: string; probes: Probes; span: ChartSpan }) {
  const { count, answered, times, series } = probes
  return (
    <Chart
      label={`${name}: ${answered} of ${count} probes succeeded`}
      height={PROBE_CHART_HEIGHT}
      times={times}
      series={series}
      span={span}
      format={formatMs}
    />
  )
}
