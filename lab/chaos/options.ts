import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'

const ROUNDS_DEFAULT = 5
const ROUNDS_MAX = 100_000

/** What a run shall do. */
export type Options = {
  /** Of everything that is random. */
  readonly seed: string
  /** Numbers of the rounds to run, in their order. */
  readonly rounds: readonly number[]
  /** Folder that the results go to; null: they are only printed. */
  readonly out: string | null
}

/**
 * Reads the command line: `--seed <text>`, `--rounds <count>` or `--round <number>`, `--out <folder>`.
 *
 * @throws Error naming what is wrong
 */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      rounds: { type: 'string' },
      round: { type: 'string' },
      out: { type: 'string' },
    },
  })
  if (values.rounds !== undefined && values.round !== undefined)
    throw new Error('Give --rounds for the first so many, or --round for one of them.')
  const seed = values.seed ?? randomBytes(4).toString('hex')
  const out = values.out ?? null
  if (values.round !== undefined) return { seed, out, rounds: [wholeNumber('--round', values.round)] }
  const count = wholeNumber('--rounds', values.rounds ?? String(ROUNDS_DEFAULT))
  return { seed, out, rounds: Array.from({ length: count }, (_, index) => index + 1) }
}

function wholeNumber(flag: string, text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > ROUNDS_MAX)
    throw new Error(`${flag} must be a whole number from 1 to ${ROUNDS_MAX}, and is ${text}.`)
  return number
}
