import type { Percentiles } from './messages.ts'

const CAPACITY_FIRST = 65_536

/** Collects latencies in ms; percentiles are exact. */
export function createLatencies() {
  let values = new Float64Array(CAPACITY_FIRST)
  let size = 0
  return {
    add(milliseconds: number): void {
      if (size === values.length) {
        const larger = new Float64Array(size * 2)
        larger.set(values)
        values = larger
      }
      values[size] = milliseconds
      size += 1
    },
    count: () => size,
    /** By nearest rank: the smallest latency that the given share of calls did not exceed. Zero without any. */
    percentiles(): Percentiles {
      const sorted = values.slice(0, size).sort()
      const at = (share: number) => sorted[Math.max(0, Math.ceil(share * size) - 1)] ?? 0
      return { p50: at(0.5), p99: at(0.99), max: at(1) }
    },
  }
}
