import { parseArgs } from 'node:util'
import { parseUsdc, type Usdc } from '@farebox/money'
import { whole, within } from '../kit/flags.ts'

const CALLERS_MAX = 2_048
const OWNERS_MAX = 100_000
const ROUNDS_MAX = 50
const SECONDS_MAX = 600
const MINUTES_MAX = 24 * 60
const HISTORY_MIN = 10_000
const HISTORY_MAX = 10_000_000

/** The parts of a run: see the top of main.ts. */
export const PARTS = ['core', 'several', 'first-byte', 'life', 'hostile', 'rest', 'memory'] as const
/** One of {@link PARTS}. */
export type Part = (typeof PARTS)[number]
/** The parts that measure the figures of the core. */
const FIGURES: readonly Part[] = ['core', 'several', 'first-byte', 'life', 'rest', 'memory']

/** Values of absent flags. */
const DEFAULTS = {
  callers: '1,64,256,1024',
  rounds: '3',
  seconds: '4',
  warmup: '2',
  owners: '10000',
  price: '0.0001',
  history: '1000000',
  minutes: '10',
}
/** Options of a run. */
export type Options = {
  readonly parts: ReadonlySet<Part>
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
  /** Calls in the history of the old gateway. */
  readonly history: number
  /** Duration of the part `memory`, in minutes. */
  readonly minutes: number
  /** Folder for V8 profiles of the gateways' threads; null: there are none. */
  readonly profile: string | null
  /** Folder for the report; null: it is only printed. */
  readonly out: string | null
}

/**
 * Reads the flags.
 *
 * @throws Error that names the wrong flag
 */
export function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const
  const { values: given } = parseArgs({
    args: [...args],
    options: {
      callers: text,
      rounds: text,
      seconds: text,
      warmup: text,
      owners: text,
      price: text,
      history: text,
      profile: text,
      minutes: text,
      only: text,
      out: text,
    },
  })
  const values = { ...DEFAULTS, ...given }
  return {
    parts: new Set(given.only?.split(',').flatMap(readPart) ?? PARTS),
    callers: values.callers.split(',').map(count => whole('callers', count, 1, CALLERS_MAX)),
    rounds: whole('rounds', values.rounds, 1, ROUNDS_MAX),
    seconds: within('seconds', values.seconds, 0.1, SECONDS_MAX),
    warmupSeconds: within('warmup', values.warmup, 0, SECONDS_MAX),
    owners: whole('owners', values.owners, 0, OWNERS_MAX),
    price: parseUsdc(values.price),
    history: whole('history', values.history, HISTORY_MIN, HISTORY_MAX),
    minutes: within('minutes', values.minutes, 0.05, MINUTES_MAX),
    profile: given.profile ?? null,
    out: given.out ?? null,
  }
}

function readPart(name: string): readonly Part[] {
  if (name === 'figures') return FIGURES
  const part = PARTS.find(known => known === name)
  if (part === undefined) throw new Error(`--only takes ${PARTS.join(', ')} and figures, not ${name}`)
  return [part]
}
