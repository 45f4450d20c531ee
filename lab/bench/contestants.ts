import type { RoundResult, Target } from './messages.ts'

/** What contestants are called in tables and in the chart. */
export const CONTESTANTS = {
  direct: 'the provider itself, direct',
  control: 'plain proxy: Fastify + undici',
  nginx: 'plain proxy: nginx',
  portkey: 'Portkey, free proxying',
  naive: 'naive ledger, database alone',
  inserts: 'two durable inserts, database alone',
  hot: 'Farebox, one owner',
  spread: 'Farebox, many owners',
  crowded: 'Farebox, one busy provider',
  replay: 'Farebox, replays of known keys',
} as const

/** Who is measured. */
export type ContestantName = keyof typeof CONTESTANTS

/** A round of load, the same for all contestants. Times in seconds. */
export type Round = {
  readonly callers: number
  readonly keyPrefix: string
  readonly warmupSeconds: number
  readonly seconds: number
}

/** One that takes its turn in every round. */
export type Contestant = {
  readonly name: ContestantName
  /** Whether it is measured at this number of callers. */
  isAt(callers: number): boolean
  /** Processes that serve it, beside the database. */
  readonly servers: readonly number[]
  /** Whose good answers are paid for; null: they are free. */
  readonly charged: readonly Target[] | null
  run(round: Round): Promise<RoundResult>
}
