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
  /** The partition of its owner, where calls are kept together by it. */
  readonly partition?: number
}

/**
 * Calls to be made, their answers sorted into good ones, sheds and wrong ones. Each caller has a connection of its own and
 * one call under way at most: in a closed loop the next when it has its answer, after a shed when the time is over that it
 * was told to wait.
 */
export type LoadJob = {
  /** Origin and path that are called. */
  readonly origin: string
  readonly path: string
  /** Origins beside the first. A caller keeps to one of them; by partition, a call goes to that of its target's. */
  readonly moreOrigins?: readonly string[]
  readonly isByPartition?: boolean
  readonly callers: number
  /** Null: a closed loop. A call that is due and finds no idle caller waits. */
  readonly arrivals?: Arrivals | null
  /** Whether latencies are told one by one too, to be put together with those of other jobs. */
  readonly returnsEach?: boolean
  readonly targets: readonly Target[]
  /** Decimal USDC that every paid answer must have charged, and that calls to a fixed-price service assert. */
  readonly price: string
  /** What the model shall make of every call; null: the service has a fixed price. */
  readonly script: Script | null
  /** Whether answers are paid ones, or the bare upstream's by way of the control. */
  readonly isPaid: boolean
  /**
   * How calls are put to those who do not take them as the gateway does: `bare`, only what the provider is to get;
   * `chat`, a chat completion of about the same length, which the provider answers as one.
   */
  readonly form?: 'bare' | 'chat'
  /** Further headers of every call: name, value, name, value. */
  readonly headers?: readonly string[]
  /** The calls are those with the first so many keys, all of which were answered before, again and again. */
  readonly knownKeys?: number
  /** Makes the idempotency keys of this job like those of no other. */
  readonly keyPrefix: string
  /** Load before the measured time, in seconds. */
  readonly warmupSeconds: number
  /** Measured time, in seconds. */
  readonly seconds: number
}

/** Calls that come whether or not earlier ones were answered. */
export type Arrivals = {
  readonly perSecond: number
  readonly spacing: 'random' | 'even'
  /** The same seed gives the same times. */
  readonly seed: number
}

/** Exact percentiles, in milliseconds. */
export type Tail = {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** What a {@link LoadJob} saw, and what it did to the books. Rates are of the measured time, by when an answer came. */
export type LoadResult = {
  /** Calls that were due in the measured time, per second. */
  readonly duePerSecond: number
  readonly perSecond: number
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

/** Requests that only read, again and again: a closed loop like that of {@link LoadJob}. */
export type ReadJob = {
  readonly origin: string
  readonly callers: number
  /** Callers go through them in turn, each starting at another. */
  readonly requests: readonly {
    readonly method: 'GET' | 'POST'
    readonly path: string
    /** Name, value, name, value. */
    readonly headers: readonly string[]
    readonly body: string | null
  }[]
  /** Load before the measured time, in seconds. */
  readonly warmupSeconds: number
  /** Measured time, in seconds. */
  readonly seconds: number
}

/** What a {@link ReadJob} measured; an answer other than 200 is an error. */
export type ReadResult = Omit<LoadResult, 'goodByTarget'>

/** What is told of every round of calls, however they are made. */
export type RoundResult = Pick<
  LoadResult,
  'perSecond' | 'shedPerSecond' | 'goodByTarget' | 'errors' | 'errorSamples'
> & { readonly latency: Percentiles }

/** Exact percentiles of one round, in milliseconds. */
export type Percentiles = { readonly p50: number; readonly p99: number; readonly max: number }

/** What the bench's model shall make of one request; told in the request itself, as `bench`. */
export type Script = {
  /** Chunks of the answer, each with a piece of text, when it is streamed. */
  readonly chunks: number
  /** Time from one chunk to the next, in ms; 0: as fast as they are taken. */
  readonly paceMs: number
  /** Usage that is told at the end. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Chunks after which the connection is broken off, before any usage; null: never. */
  readonly cutAfter: number | null
}

/** One stream as a caller asks for it. */
export type StreamPlan = {
  /** Whose stream it is; an index into the targets of the job. */
  readonly target: number
  readonly script: Script
  /** Chunks after which the caller leaves; null: it stays. */
  readonly leaveAfter: number | null
  /** Decimal USDC that the stream must have charged when it ends well. */
  readonly chargedUsdc: string
}

/** Streams to be read: every plan once, or again and again for some time. */
export type StreamJob = {
  /** Origin and path that are called. */
  readonly origin: string
  readonly path: string
  /** Whether streams are paid ones, or come straight from the model. */
  readonly isPaid: boolean
  readonly targets: readonly Target[]
  readonly plans: readonly StreamPlan[]
  /** Callers, each with a connection and one stream under way. */
  readonly callers: number
  /** Callers start evenly over this time, in seconds. */
  readonly rampSeconds: number
  /** After the ramp, plans are repeated for this long, in seconds; null: every plan has its turn once. */
  readonly seconds: number | null
  /** Makes the idempotency keys of this job like those of no other. */
  readonly keyPrefix: string
}

/** How a stream ended: as planned by model and caller, or `lost`, which must not be. */
export type StreamOutcome = {
  /** An index into the plans. */
  readonly plan: number
  readonly end: 'whole' | 'cut' | 'left' | 'lost'
  /** Null when the caller left before it was told. */
  readonly invocationId: string | null
  /** What was wrong with a lost one. */
  readonly why: string | null
}

/** What a job of streams saw. */
export type StreamResult = {
  readonly outcomes: readonly StreamOutcome[]
  /** From the first start to the last end, in seconds. */
  readonly seconds: number
  /** Most streams that were past their first event and not over, at one time. */
  readonly openMost: number
  readonly chunks: number
  /** From the request to the first event, in ms; of repeated plans, only of those started after the ramp. */
  readonly firstEvent: Percentiles
  /** From the model's write to the caller's reading, of every chunk, in ms. */
  readonly chunk: Percentiles
}
