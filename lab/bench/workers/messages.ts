/** Messages between the bench and its worker processes. All of them survive JSON. */

/** Address of a worker. */
export type Ready = { readonly url: string }

/** One way of making a call; a caller goes through them in turn. */
export type Target = {
  /** Index of the owner who pays. */
  readonly owner: number
  /** Index of the service. */
  readonly service: number
  readonly serviceId: string
  readonly credential: string
  /** The partition of its owner, where calls are kept together by it. */
  readonly partition?: number
}

/** Callers, each with a connection of its own and one request in flight at most, and their times in seconds. */
export type LoopShape = {
  readonly origin: string
  readonly callers: number
  /** Load before the measured time. */
  readonly warmupSeconds: number
  /** Measured time. */
  readonly seconds: number
}

/**
 * Calls to be made in a closed loop, their answers sorted into good ones, sheds and wrong ones. After a shed, a caller
 * waits for the time in `Retry-After`.
 */
export type LoadJob = LoopShape & {
  readonly path: string
  /** Origins beside the first. A caller keeps to one of them; by partition, a call goes to that of its target's. */
  readonly moreOrigins?: readonly string[]
  readonly isByPartition?: boolean
  readonly targets: readonly Target[]
  /** Decimal USDC that every paid answer must have charged, and that calls assert. */
  readonly price: string
  /** True for paid answers, false for those of the bare upstream. */
  readonly isPaid: boolean
  /** The calls are those with the first so many keys, all of which were answered before, again and again. */
  readonly knownKeys?: number
  /** Makes the idempotency keys of this job like those of no other. */
  readonly keyPrefix: string
}

/** Exact percentiles, in milliseconds. */
export type Percentiles = { readonly p50: number; readonly p99: number; readonly max: number }

/** Rates per second, of answers in the measured time; latencies of good calls that were sent in it. */
export type LoopResult = {
  readonly perSecond: number
  /** Answers of 503 with `Retry-After`: refused before anything was done, and free. */
  readonly shedPerSecond: number
  readonly latency: Percentiles
  /** Answers that were neither good nor sheds, over the whole job. */
  readonly errors: number
  /** The first few of them. */
  readonly errorSamples: readonly string[]
}

/** Result of a {@link LoadJob}. */
export type LoadResult = LoopResult & {
  /** Good answers per target over the whole job, warm-up included: each of them was paid for. */
  readonly goodByTarget: readonly number[]
}

/** Script of an answer of the bench's model: the member `bench` of a request. */
export type Script = {
  /** Chunks of the answer when it is streamed. */
  readonly chunks: number
  /** Time from one chunk to the next, in ms; 0: as fast as they are taken. */
  readonly paceMs: number
  /** Usage in the answer. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Streams to be read one after another by every caller; callers start evenly over `warmupSeconds`. */
export type StreamJob = LoopShape & {
  readonly path: string
  /** True for paid streams, false for those straight from the model. */
  readonly isPaid: boolean
  readonly targets: readonly Target[]
  readonly script: Script
  /** Decimal USDC that a stream must have charged. */
  readonly chargedUsdc: string
  readonly keyPrefix: string
}

/** Numbers of streams: whole ones by target, and lost ones. */
export type StreamResult = {
  readonly wholeByTarget: readonly number[]
  readonly lost: number
  readonly lostSamples: readonly string[]
  /** From the request to the first event, in ms, of streams that started after the warm-up. */
  readonly firstEvent: Percentiles
}
