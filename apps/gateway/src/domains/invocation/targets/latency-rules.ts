/** Bands to each doubling of the latency: a percentile is right within 10%. */
const BANDS_PER_DOUBLING = 4
/** Number of bands; the last one has all latencies from about ten minutes on. */
const BANDS = 78

/** Counts of latencies by band. */
export type Bands = readonly number[]

/** Returns the band of a latency in ms. */
export const bandOf = (ms: number): number =>
  Math.min(BANDS - 1, ms <= 1 ? 0 : Math.ceil(BANDS_PER_DOUBLING * Math.log2(ms)))

/** Returns the latency in whole ms that a share of the counted ones is not above; null if none is counted. */
export function percentileOf(bands: Bands, share: number): number | null {
  const total = bands.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [band, count] of bands.entries()) {
    below += count
    // The middle of the band, which both its ends are equally far from by their ratio.
    if (count > 0 && below >= share * total)
      return Math.round(band === 0 ? 1 : 2 ** ((band - 0.5) / BANDS_PER_DOUBLING))
  }
  return null
}
