import { parseArgs } from 'node:util'
import { parseUsdc, type Usdc } from '@farebox/money'

/** Bounds of what may be asked for. */
const CALLERS_MAX = 1_024
const OWNERS_MAX = 100_000
const ROUNDS_MAX = 50
const SECONDS_MAX = 600
const STREAMS_MAX = 5_000
/** More text than this would be more than the requests' bound on output tokens. */
const CHUNKS_MAX = 500
const PACE_MS_MAX = 1_000
const MINUTES_MAX = 24 * 60
const HISTORY_MIN = 10_000
const HISTORY_MAX = 10_000_000

/** What a run is made of: see the top of main.ts. */
export const PARTS = [
  ...[
    'calls',
    'core',
    'several',
    'first-byte',
    'full',
    'cuts',
    'llm',
    'open',
    'overload',
    'fairness',
    'life',
    'search',
    'hostile',
    'forum',
    'rest',
    'memory',
  ],
] as const
/** One of {@link PARTS}. */
export type Part = (typeof PARTS)[number]
/** Names for several parts: all that stream, and all that the figures of the core need. */
const NAMES: Readonly<Record<string, readonly Part[]>> = {
  streams: ['first-byte', 'full', 'cuts'],
  figures: ['core', 'several', 'first-byte', 'life', 'rest', 'memory'],
}

/** What is taken for a flag that is not there, and by `--quick`: a first look, in two or three minutes. */
const WHOLE_RUN = {
  callers: '1,64,256,1024',
  rounds: '3',
  seconds: '4',
  warmup: '2',
  owners: '10000',
  price: '0.0001',
  streams: '1000',
  chunks: '200',
  pace: '75',
  history: '1000000',
  'open-seconds': '15',
  minutes: '10',
}
const QUICK_RUN: typeof WHOLE_RUN = {
  ...WHOLE_RUN,
  callers: '1,256',
  rounds: '2',
  seconds: '1.5',
  warmup: '1',
  streams: '200',
  'open-seconds': '3',
  history: '50000',
  minutes: '0.5',
}
const QUICK_PARTS: readonly Part[] = ['calls', 'first-byte', 'llm', 'open']

/** How the bench shall run. */
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
  /** Streams at once. */
  readonly streams: number
  /** Chunks of each of them. */
  readonly chunks: number
  /** Time between two chunks of one stream, in ms. */
  readonly paceMs: number
  /** Calls in the history of the old gateway. */
  readonly history: number
  /** Measured time of a round whose calls come on a schedule, and of its like, in seconds. */
  readonly openSeconds: number
  /** How long the memory of the gateway is watched, in minutes. */
  readonly minutes: number
  /** Whether it is no more than a first look. */
  readonly isQuick: boolean
  /** Folder that the results go to; null: they are only printed. */
  readonly out: string | null
}

/**
 * Reads the flags. A run of some parts only, or a quick one, is not kept unless `--out` says where, so that it does not
 * replace a whole one.
 *
 * @throws Error that says which flag is wrong
 */
export function readOptions(args: readonly string[], resultsDirectory: string): Options {
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
      streams: text,
      chunks: text,
      pace: text,
      history: text,
      'open-seconds': text,
      minutes: text,
      only: text,
      out: text,
      quick: { type: 'boolean', default: false },
    },
  })
  const values = { ...(given.quick ? QUICK_RUN : WHOLE_RUN), ...given }
  const { only, quick: isQuick } = given
  const partsUnasked = isQuick ? QUICK_PARTS : PARTS
  return {
    parts: new Set(only === undefined ? partsUnasked : only.split(',').flatMap(readPart)),
    callers: values.callers.split(',').map(count => whole('callers', count, 1, CALLERS_MAX)),
    rounds: whole('rounds', values.rounds, 1, ROUNDS_MAX),
    seconds: within('seconds', values.seconds, 0.1, SECONDS_MAX),
    warmupSeconds: within('warmup', values.warmup, 0, SECONDS_MAX),
    owners: whole('owners', values.owners, 0, OWNERS_MAX),
    price: parseUsdc(values.price),
    streams: whole('streams', values.streams, 1, STREAMS_MAX),
    chunks: whole('chunks', values.chunks, 2, CHUNKS_MAX),
    paceMs: within('pace', values.pace, 0, PACE_MS_MAX),
    history: whole('history', values.history, HISTORY_MIN, HISTORY_MAX),
    openSeconds: within('open-seconds', values['open-seconds'], 0.1, SECONDS_MAX),
    minutes: within('minutes', values.minutes, 0.05, MINUTES_MAX),
    isQuick,
    out: given.out ?? (only === undefined && !isQuick ? resultsDirectory : null),
  }
}

function readPart(name: string): readonly Part[] {
  const named = NAMES[name]
  if (named !== undefined) return named
  const part = PARTS.find(known => known === name)
  if (part === undefined)
    throw new Error(`--only takes ${[...PARTS, ...Object.keys(NAMES)].join(', ')}, not ${name}`)
  return [part]
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
