/** How long calls count, in days, today included. */
export const RATED_DAYS = 7
/** What a day weighs against the one after it. */
const WEIGHT_OF_DAY_BEFORE = 0.75
/** Weighed calls from which on a service is rated. */
const RATED_CALLS_MIN = 5
/** What is thought of a service before anything is known: so many calls with this rate of success. */
const PRIOR_CALLS = 10
const PRIOR_SUCCESS_RATE = 0.9
/** Latency at which half of what quickness can earn is earned, in ms; and what is thought of the unknown. */
const MIDDLE_LATENCY_MS = 1_000
/** How much of the quality quickness makes. */
const QUICKNESS_SHARE = 0.2
/** Quality goes in steps, so that an order stays what it is until something has really changed. */
const QUALITY_STEP = 0.02

/** Calls of one service on one day. `latencyMs` and `outputTokens` are the sums of the good ones'. */
export type DayOfCalls = {
  /** Days ago; 0 is today. */
  readonly age: number
  readonly good: number
  readonly bad: number
  readonly latencyMs: number
  readonly outputTokens: number
}

/** What calls say of a service. */
export type Rating = {
  readonly successRate: number
  /** Mean of the good calls; null when there was none. */
  readonly latencyMs: number | null
  /** Output tokens of the good calls by their time; null when there was no output. */
  readonly tokensPerSecond: number | null
  /** Whether there were calls enough to tell. */
  readonly isRated: boolean
  /** Success rate as far as it can be relied on: few calls move it little. */
  readonly reliability: number
  /** From 0 to 1. */
  readonly quality: number
}

/**
 * What the calls of the last days say of a service; newer ones weigh more. Nothing is known of a service without calls:
 * it stands where an ordinary one would.
 */
export function ratingOf(days: readonly DayOfCalls[]): Rating {
  let good = 0
  let bad = 0
  let latencyMs = 0
  let outputTokens = 0
  for (const day of days) {
    if (day.age >= RATED_DAYS) continue
    const weight = WEIGHT_OF_DAY_BEFORE ** Math.max(0, day.age)
    good += weight * day.good
    bad += weight * day.bad
    latencyMs += weight * day.latencyMs
    outputTokens += weight * day.outputTokens
  }
  const calls = good + bad
  const mean = good > 0 ? latencyMs / good : null
  const reliability = (good + PRIOR_CALLS * PRIOR_SUCCESS_RATE) / (calls + PRIOR_CALLS)
  return {
    successRate: calls > 0 ? good / calls : 1,
    latencyMs: mean,
    tokensPerSecond: outputTokens > 0 && latencyMs > 0 ? (outputTokens / latencyMs) * 1_000 : null,
    isRated: calls >= RATED_CALLS_MIN,
    reliability,
    quality: qualityOf(reliability, calls >= RATED_CALLS_MIN ? mean : null),
  }
}

/** A failing service falls faster than its success rate does: who is failed once in two calls does not come back. */
function qualityOf(reliability: number, latencyMs: number | null): number {
  const quickness = MIDDLE_LATENCY_MS / (MIDDLE_LATENCY_MS + (latencyMs ?? MIDDLE_LATENCY_MS))
  const exact = (1 - QUICKNESS_SHARE) * reliability ** 2 + QUICKNESS_SHARE * quickness
  return Math.round(exact / QUALITY_STEP) * QUALITY_STEP
}

/** The quality of a service of which nothing is known. */
export const UNRATED_QUALITY: number = ratingOf([]).quality
