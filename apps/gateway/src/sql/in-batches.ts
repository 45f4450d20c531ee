/** Rows of a batch, and the maximum number of batches of a run. */
const BATCH_ROWS = 1_000
const BATCHES_MAX = 50

/**
 * Runs batches until one processes fewer rows than it may. Bounded; the next run continues.
 *
 * @param runBatch processes `limit` rows at most, and returns how many
 * @returns the number of processed rows
 */
export async function inBatches(runBatch: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const done = await runBatch(BATCH_ROWS)
    total += done
    if (done < BATCH_ROWS) break
  }
  return total
}
