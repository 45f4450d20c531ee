import type { LoadResult, Target } from '../workers/messages.ts'

/** Names of contestants in tables. */
export const CONTESTANTS = {
  control: 'plain proxy: Fastify + undici',
  inserts: 'two durable inserts, database alone',
  hot: 'Farebox, one owner',
  spread: 'Farebox, many owners',
  replay: 'Farebox, replays of known keys',
} as const

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
  /** Returns whether it is measured at this number of callers. */
  isAt(callers: number): boolean
  /** Processes that serve it, beside the database. */
  readonly servers: readonly number[]
  /** Targets whose good answers are paid for; null: they are free. */
  readonly charged: readonly Target[] | null
  run(round: Round): Promise<LoadResult>
}
