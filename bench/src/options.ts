import { parseArgs } from 'node:util'
import { parseUsdc, type Usdc } from '@farebox/money'

/** Bounds of what may be asked for. */
const CALLERS_MAX = 1_024
const OWNERS_MAX = 1_000
const ROUNDS_MAX = 50
const SECONDS_MAX = 600

/** How the bench shall run. */
export type Options = {
  /** Numbers of callers, each measured on its own. */
  readonly callers: readonly number[]
  readonly rounds: number
  /** Measured time of a round, in seconds. */
  readonly seconds: number
  /** Load before the first round of a contestant at a number of callers, in seconds. */
  readonly warmupSeconds: number
  /** Owners of the spread load; 0 leaves it out. */
  readonly owners: number
  /** Price of a call. */
  readonly price: Usdc
  /** Folder that the results go to. */
  readonly out: string
}

/** @throws Error that says which flag is wrong */
export function readOptions(args: readonly string[], resultsDirectory: string): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      callers: { type: 'string', default: '1,64,256' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      warmup: { type: 'string', default: '2' },
      owners: { type: 'string', default: '200' },
      price: { type: 'string', default: '0.0001' },
      out: { type: 'string', default: resultsDirectory },
    },
  })
  return {
    callers: values.callers.split(',').map(text => whole('callers', text, 1, CALLERS_MAX)),
    rounds: whole('rounds', values.rounds, 1, ROUNDS_MAX),
    seconds: within('seconds', values.seconds, 0.1, SECONDS_MAX),
    warmupSeconds: within('warmup', values.warmup, 0, SECONDS_MAX),
    owners: whole('owners', values.owners, 0, OWNERS_MAX),
    price: parseUsdc(values.price),
    out: values.out,
  }
}

function within(flag: string, text: string, least: number, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!(value >= least && value <= most)) throw new Error(`--${flag} must be from ${least} to ${most}`)
  return value
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = within(flag, text, least, most)
  if (!Number.isInteger(value)) throw new Error(`--${flag} must be a whole number`)
  return value
}
