import type { LoadJob } from './messages.ts'

/** Calls that come whether or not earlier ones were answered. */
export type Arrivals = {
  readonly perSecond: number
  readonly spacing: 'random' | 'even'
  /** The same seed gives the same times. */
  readonly seed: number
}

/** Calls to be made, their answers sorted into good ones, sheds and wrong ones. */
export type OpenJob = Omit<LoadJob, 'callers'> & {
  /** Connections, each with one call under way at most. A call that finds none idle waits at the caller. */
  readonly connections: number
  /**
   * Null: a closed loop, where each connection makes its next call when it has its answer; after a shed, when the
   * time is over that it was told to wait.
   */
  readonly arrivals: Arrivals | null
  /** Whether the latencies are told one by one too, to be put together with those of other jobs. */
  readonly tellsEach: boolean
}

/** Exact percentiles, in milliseconds. */
export type Tail = {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** What an {@link OpenJob} saw. Rates are of the measured time, by when an answer came. */
export type OpenResult = {
  /** Calls that were due in the measured time, per second. */
  readonly duePerSecond: number
  readonly goodPerSecond: number
  /** Answers of 503 with a time to wait, per second: refused before anything was done, and free. */
  readonly shedPerSecond: number
  /**
   * Of the good calls that were due in the measured time, from when they were due to their answer: the wait at the
   * caller counts. Those that were never sent count too, with the time that they had waited when the job ended.
   */
  readonly latency: Tail
  /** Of the same good calls, from when they were sent to their answer. */
  readonly served: Tail
  /** Every one of {@link latency}, when the job asked for them. */
  readonly each: readonly number[] | null
  /** Calls due in the measured time that still waited at the caller when the job ended. */
  readonly unsent: number
  /** Good answers per target over the whole job, warm-up and tail included: each of them was paid for. */
  readonly goodByTarget: readonly number[]
  /** Answers that were neither good nor sheds, over the whole job. */
  readonly errors: number
  /** The first few of them. */
  readonly errorSamples: readonly string[]
}
