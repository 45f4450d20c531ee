/** Memory at a time of the run. */
export type MemorySample = { readonly atSeconds: number; readonly mib: number }

/** Share of the samples that is left out at the start, while caches and pools fill. */
const FILLING_SHARE = 1 / 3

/** Memory over the last two thirds of the time. */
export type MemoryTrend = {
  /** By least squares; NaN of fewer than two samples. */
  readonly mibPerMinute: number
  readonly leastMiB: number
  readonly mostMiB: number
}

/** The trend over the last two thirds of the time. */
export function trendOf(samples: readonly MemorySample[]): MemoryTrend {
  const first = samples[0]?.atSeconds ?? 0
  const last = samples.at(-1)?.atSeconds ?? 0
  const filledAt = first + (last - first) * FILLING_SHARE
  const filled = samples.filter(({ atSeconds }) => atSeconds >= filledAt)
  const sizes = filled.map(({ mib }) => mib)
  return {
    mibPerMinute: 60 * slopeOf(filled.map(({ atSeconds, mib }) => [atSeconds, mib])),
    leastMiB: Math.min(...sizes),
    mostMiB: Math.max(...sizes),
  }
}

/** Slope of the line of least squares through points (x, y); NaN when they are not at two different x. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((total, value) => total + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const together = points.reduce((total, [x, y]) => total + (x - meanX) * (y - meanY), 0)
  return together / points.reduce((total, [x]) => total + (x - meanX) ** 2, 0)
}
