import { randomInt } from 'node:crypto'

const SEED_MAX = 2 ** 31
/** Time limit of a property, shrinking included, within `npm test`, in ms. */
const TRIED_MS_MAX = 300_000

/** Seed of a test file; `FUZZ_SEED` repeats a printed run. */
const seed = Number(process.env.FUZZ_SEED ?? randomInt(SEED_MAX))
process.stdout.write(`FUZZ_SEED=${seed}\n`)

/**
 * Returns runs and seed of a property, for `fc.assert`. A failure is shrunk, and reported with its seed.
 *
 * @param count within `npm test`; `FUZZ_RUNS` replaces it everywhere
 */
export function runs(count: number) {
  return {
    numRuns: Number(process.env.FUZZ_RUNS ?? count),
    seed,
    ...(process.env.FUZZ_RUNS === undefined && {
      interruptAfterTimeLimit: TRIED_MS_MAX,
      markInterruptAsFailure: true,
    }),
    // Failures show the first line; the gateway's log has the rest (TEST_LOG=1).
    includeErrorInReport: true,
  }
}
