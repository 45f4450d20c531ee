/** What the bench and its worker processes say to one another. All of it survives JSON. */

/** A worker that listens says where. */
export type Ready = { readonly url: string }

/** One way of making a call; a caller goes through them in turn. */
export type Target = {
  /** Whose balance pays; an index into the owners of the market. */
  readonly owner: number
  /** Which service is called; an index into the services of the market. */
  readonly service: number
  readonly serviceId: string
  readonly credential: string
}

/** A closed loop: each caller has a connection of its own and one call under way at any time. */
export type LoadJob = {
  /** Origin and path that are called. */
  readonly origin: string
  readonly path: string
  readonly callers: number
  readonly targets: readonly Target[]
  /** Decimal USDC that every call asserts, and that every paid answer must have charged. */
  readonly price: string
  /** Whether answers are paid ones, or the bare upstream's by way of the control. */
  readonly isPaid: boolean
  /** Makes the idempotency keys of this job like those of no other. */
  readonly keyPrefix: string
  /** Load before the measured time, in seconds. */
  readonly warmupSeconds: number
  /** Measured time, in seconds. */
  readonly seconds: number
}

/** What a job measured, and what it did to the books. */
export type LoadResult = {
  /** Answers per second in the measured time. */
  readonly perSecond: number
  /** Latency in the measured time, in milliseconds, over every answer. */
  readonly latency: Percentiles
  /** Good answers per target over the whole job, warm-up and tail included: each of them was paid for. */
  readonly goodByTarget: readonly number[]
  /** Answers that were not as they must be, over the whole job. */
  readonly errors: number
  /** The first few of them. */
  readonly errorSamples: readonly string[]
}

/** Exact percentiles of one round, in milliseconds. */
export type Percentiles = { readonly p50: number; readonly p99: number; readonly max: number }
