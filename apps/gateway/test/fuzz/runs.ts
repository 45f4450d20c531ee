/** Time limit of a property, shrinking included, within `npm test`, in ms. */
const TRIED_MS_MAX = 300_000

/**
 * Returns the runs of a property, for `fc.assert`. A failure is shrunk, and reported with its seed.
 *
 * @param count within `npm test`; `FUZZ_RUNS` replaces it everywhere
 */
export function runs(count: number) {
  return {
    numRuns: Number(process.env.FUZZ_RUNS ?? count),
    ...(process.env.FUZZ_RUNS === undefined && {
      interruptAfterTimeLimit: TRIED_MS_MAX,
      markInterruptAsFailure: true,
    }),
    // Failures show the first line; the gateway's log has the rest (TEST_LOG=1).
    includeErrorInReport: true,
  }
}
