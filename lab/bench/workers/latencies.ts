import type { Percentiles, Tail } from '../messages.ts'

const CAPACITY_FIRST = 65_536

/** Every latency of a round, kept as it is: percentiles are exact, nothing is put in buckets. */
export function createLatencies() {
  let values = new Float64Array(CAPACITY_FIRST)
  let size = 0
  /** By nearest rank: the smallest latency that the given share of calls did not exceed. Zero without any. */
  const ranked = () => {
    const sorted = values.slice(0, size).sort()
    return (share: number) => sorted[Math.max(0, Math.ceil(share * size) - 1)] ?? 0
  }
  return {
    /** Adds one, in milliseconds. */
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
    /** All of them, in the order in which they came. */
    each: (): number[] => [...values.subarray(0, size)],
    percentiles(): Percentiles {
      const at = ranked()
      return { p50: at(0.5), p99: at(0.99), max: at(1) }
    },
    /** The same with the rare ones. */
    tail(): Tail {
      const at = ranked()
      return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) }
    },
  }
}
