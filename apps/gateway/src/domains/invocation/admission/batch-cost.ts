/** Weight of the newest batch in the estimate. */
const NEWEST_WEIGHT = 0.2

/** Estimates the duration of batches from recent ones. */
export type BatchCost = {
  /** Records that a batch of `items` took `ms`. */
  learn(items: number, ms: number): void
  /** Returns the expected duration of a batch, in ms; 0 before the first. */
  of(items: number): number
}

/**
 * Fits a line through recent batches, the newest weighted most: a fixed cost plus a cost per item. Without the fixed
 * part, small batches would promise more of large ones than those can keep, just when load rises.
 */
export function createBatchCost(): BatchCost {
  // Means, and sums of squares around them, with decaying weights (West, 1979).
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
      // Neither the cost per item nor the fixed cost is negative.
      const perItem = variance > 0 ? Math.max(0, covariance / variance) : 0
      return Math.max(0, meanMs + perItem * (items - meanItems))
    },
  }
}
