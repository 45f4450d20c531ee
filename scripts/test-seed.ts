import { randomInt } from 'node:crypto'
import { configureGlobal } from 'fast-check'

const SEED = 8_402
const SEED_MAX = 2 ** 31

const given = process.env.TEST_SEED
/**
 * Seed of every generated test: the same in each run, so that a failure belongs to the change, and no mutant lives or
 * dies by luck. `TEST_SEED` sets another; `random` draws one, and prints it.
 */
export const testSeed = given === 'random' ? randomInt(SEED_MAX) : Number(given ?? SEED)
if (given === 'random') process.stdout.write(`TEST_SEED=${testSeed}\n`)

configureGlobal({ seed: testSeed })
