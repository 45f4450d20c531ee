/** Maximum counts per statement. */
const COUNTS_AT_ONCE_MAX = 1_000

/**
 * Stores what a tally has counted since the last flush; after a failure the rest is kept for the next.
 *
 * @param store stores some counts in one statement
 */
export async function flushInParts<Counted>(
  tally: { take(): Counted[]; putBack(counts: readonly Counted[]): void },
  store: (counts: readonly Counted[]) => Promise<void>,
): Promise<void> {
  const taken = tally.take()
  for (let first = 0; first < taken.length; first += COUNTS_AT_ONCE_MAX) {
    try {
      await store(taken.slice(first, first + COUNTS_AT_ONCE_MAX))
    } catch (error) {
      tally.putBack(taken.slice(first))
      throw error
    }
  }
}
