/** Number of days whose calls count, including today. */
export const RATED_DAYS = 7
/** Weight of a day relative to the next one. */
const WEIGHT_OF_DAY_BEFORE = 0.75
/** Minimum weighted calls for a rating. */
const RATED_CALLS_MIN = 5
/** Prior: this many calls with this success rate. */
const PRIOR_CALLS = 10
const PRIOR_SUCCESS_RATE = 0.9
/** Latency that earns half of the speed score, in ms; and the speed score of the unknown. */
const MIDDLE_LATENCY_MS = 1_000
/** Share of speed in the quality. */
const QUICKNESS_SHARE = 0.2
/** Quality is rounded to steps, so that the order changes only with real changes. */
const QUALITY_STEP = 0.02
const THROUGHPUT_DIGITS = 1

/** Calls of one service on one day. `latencyMs` is the sum of the successful ones. */
export type DayOfCalls = {
  /** Age in days; 0 is today. */
  readonly age: number
  readonly good: number
  readonly bad: number
  readonly latencyMs: number
  /** Output tokens of the successful rated calls, and the sum of their latencies, in ms. */
  readonly outputTokens: number
  readonly outputMs: number
}

/** Statistics from the calls of a service. */
export type Rating = {
  readonly successRate: number
  /** Mean of the successful calls; null without any. */
  readonly latencyMs: number | null
  /** Output tokens of the successful calls per time; null without output. */
  readonly tokensPerSecond: number | null
  /** True if there were enough calls. */
  readonly isRated: boolean
  /** Success rate, shrunk towards the prior: few calls move it little. */
  readonly reliability: number
  /** From 0 to 1. */
  readonly quality: number
}

/**
 * Rates a service by the calls of the last days, recent ones weighted more. A service without calls gets the average.
 */
export function ratingOf(days: readonly DayOfCalls[]): Rating {
  let good = 0
  let bad = 0
  let latencyMs = 0
  let outputTokens = 0
  let outputMs = 0
  for (const day of days) {
    if (day.age >= RATED_DAYS) continue
    const weight = WEIGHT_OF_DAY_BEFORE ** Math.max(0, day.age)
    good += weight * day.good
    bad += weight * day.bad
    latencyMs += weight * day.latencyMs
    outputTokens += weight * day.outputTokens
    outputMs += weight * day.outputMs
  }
  const calls = good + bad
  const mean = good > 0 ? latencyMs / good : null
  const reliability = (good + PRIOR_CALLS * PRIOR_SUCCESS_RATE) / (calls + PRIOR_CALLS)
  return {
    successRate: calls > 0 ? good / calls : 1,
    latencyMs: mean,
    tokensPerSecond: throughputOf({ outputTokens, outputMs }),
    isRated: calls >= RATED_CALLS_MIN,
    reliability,
    quality: qualityOf(reliability, calls >= RATED_CALLS_MIN ? mean : null),
  }
}

/** Returns output tokens per second; null without output. */
export function throughputOf({
  outputTokens,
  outputMs,
}: Pick<DayOfCalls, 'outputTokens' | 'outputMs'>): number | null {
  return outputTokens > 0 && outputMs > 0 ? (outputTokens / outputMs) * 1_000 : null
}

/** Rounds output tokens per second for answers. */
export function roundThroughput(tokensPerSecond: number | null): number | null {
  return tokensPerSecond === null ? null : Number(tokensPerSecond.toFixed(THROUGHPUT_DIGITS))
}

/** Falls faster than the success rate: callers do not come back to a service that fails every second call. */
function qualityOf(reliability: number, latencyMs: number | null): number {
  const quickness = MIDDLE_LATENCY_MS / (MIDDLE_LATENCY_MS + (latencyMs ?? MIDDLE_LATENCY_MS))
  const exact = (1 - QUICKNESS_SHARE) * reliability ** 2 + QUICKNESS_SHARE * quickness
  return Math.round(exact / QUALITY_STEP) * QUALITY_STEP
}

/** Quality of a service without calls. */
export const UNRATED_QUALITY: number = ratingOf([]).quality
