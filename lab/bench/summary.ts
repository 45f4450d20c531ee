/** Rounds in one figure: the median, and the least and most of them. */
export type Summary = { readonly median: number; readonly least: number; readonly most: number }

/** Median, least and most; NaN of nothing. The median of an even number is the mean of the middle two. */
export function summary(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  const median = ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
  return { median, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN }
}

/** Null of nothing. */
export const summaryOrNull = (values: readonly number[]): Summary | null =>
  values.length === 0 ? null : summary(values)
