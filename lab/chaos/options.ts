import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { whole } from '../kit/flags.ts'

const ROUNDS_DEFAULT = 5
const ROUNDS_MAX = 100_000

/** Options of a run. */
export type Options = {
  /** Seed of everything that is random. */
  readonly seed: string
  /** Numbers of the rounds to run, in their order. */
  readonly rounds: readonly number[]
  /** Folder for the results; null: they are only printed. */
  readonly out: string | null
}

/**
 * Reads the command line: `--seed <text>`, `--rounds <count>` or `--round <number>`, `--out <folder>`.
 *
 * @throws Error that names the wrong flag
 */
export function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { seed: text, rounds: text, round: text, out: text },
  })
  if (values.rounds !== undefined && values.round !== undefined)
    throw new Error('Give --rounds for the first so many, or --round for one of them.')
  const { seed = randomBytes(4).toString('hex'), out = null } = values
  if (values.round !== undefined) return { seed, out, rounds: [whole('round', values.round, 1, ROUNDS_MAX)] }
  const count = whole('rounds', values.rounds ?? String(ROUNDS_DEFAULT), 1, ROUNDS_MAX)
  return { seed, out, rounds: Array.from({ length: count }, (_, index) => index + 1) }
}
