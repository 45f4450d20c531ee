import { randomInt } from 'node:crypto'

const SEED_MAX = 2 ** 31
/** Longest that a property is tried and its failure shrunk within `npm test`, in ms. */
const TRIED_MS_MAX = 300_000

/** Of a whole test file; `FUZZ_SEED` repeats a run that was printed. */
const seed = Number(process.env.FUZZ_SEED ?? randomInt(SEED_MAX))
process.stdout.write(`FUZZ_SEED=${seed}\n`)

/**
 * How often a property is tried, and from which seed, for `fc.assert`. What fails is shrunk, and told with its seed.
 *
 * @param count within `npm test`; `FUZZ_RUNS` puts another in its place everywhere
 */
export function runs(count: number) {
  return {
    numRuns: Number(process.env.FUZZ_RUNS ?? count),
    seed,
    ...(process.env.FUZZ_RUNS === undefined && {
      interruptAfterTimeLimit: TRIED_MS_MAX,
      markInterruptAsFailure: true,
    }),
    // A failure is told by the first word of it; what is behind it is in the gateway's log (TEST_LOG=1).
    includeErrorInReport: true,
  }
}
