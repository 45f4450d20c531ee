import type { CountedCalls, RatedAs } from '../../services/discovery/record-calls.ts'

/** Maximum counts between two flushes, by service and rating; further calls are not counted. */
const COUNTS_MAX = 50_000

/** A call with a verdict on its provider. */
export type TalliedCall = {
  readonly serviceId: string
  readonly isGood: boolean
  /** Duration of the whole call, in ms. */
  readonly latencyMs: number
  /** 0 for a call that is not metered. */
  readonly outputTokens: number
  /** Null for a call that does not rate its service. */
  readonly ratedAs: RatedAs | null
}

/** Counts calls between flushes. In memory: a crash loses a few seconds of counts. */
export type CallTally = {
  record(call: TalliedCall): void
  /** Adds back counts that could not be stored. */
  putBack(calls: readonly CountedCalls[]): void
  /** Returns the counts and starts again at zero. */
  take(): CountedCalls[]
}

/** Creates a tally for this process. */
export function createCallTally(): CallTally {
  let counts = new Map<string, CountedCalls>()
  const add = (added: CountedCalls) => {
    const { serviceId, ratedAs } = added
    const key =
      ratedAs === null ? serviceId : `${serviceId} ${ratedAs.owner} ${ratedAs.price} ${ratedAs.outputPrice}`
    const before = counts.get(key)
    if (before === undefined && counts.size >= COUNTS_MAX) return
    const { good = 0, bad = 0, latencyMs = 0, outputTokens = 0 } = before ?? {}
    counts.set(key, {
      serviceId,
      ratedAs,
      good: good + added.good,
      bad: bad + added.bad,
      latencyMs: latencyMs + added.latencyMs,
      outputTokens: outputTokens + added.outputTokens,
    })
  }
  return {
    record({ serviceId, isGood, latencyMs, outputTokens, ratedAs }) {
      const counted = isGood
        ? { good: 1, bad: 0, latencyMs, outputTokens }
        : { good: 0, bad: 1, latencyMs: 0, outputTokens: 0 }
      add({ serviceId, ratedAs, ...counted })
    },
    putBack(calls) {
      for (const call of calls) add(call)
    },
    take() {
      const taken = [...counts.values()]
      counts = new Map()
      return taken
    },
  }
}
