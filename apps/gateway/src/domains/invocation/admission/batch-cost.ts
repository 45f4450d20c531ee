/** Weight of the newest batch in what is expected of the next one. */
const NEWEST_WEIGHT = 0.2

/** What is expected of batches, by those that there were lately. */
export type BatchCost = {
  /** Learns that a batch of so many items took so many ms. */
  learn(items: number, ms: number): void
  /** How long a batch of so many items should take, in ms; 0 as long as there was none. */
  of(items: number): number
}

/**
 * Learns what a batch costs by itself and what each of its items adds: a straight line through the batches of late, the
 * newest ones counting most. By the time alone, small batches would promise more of large ones than these can keep, and
 * just when a crowd begins to gather.
 */
export function createBatchCost(): BatchCost {
  // Means, and the sums of squares around them, with weights that fade (West, 1979).
  let meanItems = 0
  let meanMs = 0
  let variance = 0
  let covariance = 0
  let isNew = true
  return {
    learn(items, ms) {
      const weight = isNew ? 1 : NEWEST_WEIGHT
      isNew = false
      const [byItems, byMs] = [items - meanItems, ms - meanMs]
      meanItems += weight * byItems
      meanMs += weight * byMs
      variance = (1 - weight) * (variance + weight * byItems * byItems)
      covariance = (1 - weight) * (covariance + weight * byItems * byMs)
    },
    of(items) {
      // No batch takes less for having more in it, and none takes less than no time.
      const perItem = variance > 0 ? Math.max(0, covariance / variance) : 0
      return Math.max(0, meanMs + perItem * (items - meanItems))
    },
  }
}
