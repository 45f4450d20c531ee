import type { CallsOfService } from '../services/record-calls.ts'

/** Services whose calls are counted between two flushes; calls of more of them are not told. */
const SERVICES_MAX = 50_000

/** Counts calls by service until somebody takes the counts. In memory: what a crash loses is a few seconds' worth. */
export type CallTally = {
  /** @param latencyMs of the whole call */
  record(serviceId: string, isGood: boolean, latencyMs: number): void
  /** Adds counts that were taken and could not be kept. */
  putBack(calls: readonly CallsOfService[]): void
  /** Hands the counts over, and begins anew. */
  take(): CallsOfService[]
}

type Counts = { good: number; bad: number; latencyMs: number }

/** A tally for this process. */
export function createCallTally(): CallTally {
  let counts = new Map<string, Counts>()
  const add = (serviceId: string, added: Counts) => {
    const before = counts.get(serviceId)
    if (before === undefined) {
      if (counts.size < SERVICES_MAX) counts.set(serviceId, { ...added })
      return
    }
    before.good += added.good
    before.bad += added.bad
    before.latencyMs += added.latencyMs
  }
  return {
    record(serviceId, isGood, latencyMs) {
      add(serviceId, isGood ? { good: 1, bad: 0, latencyMs } : { good: 0, bad: 1, latencyMs: 0 })
    },
    putBack(calls) {
      for (const { serviceId, good, bad, latencyMs } of calls) add(serviceId, { good, bad, latencyMs })
    },
    take() {
      const taken = [...counts].map(([serviceId, count]) => ({ serviceId, ...count }))
      counts = new Map()
      return taken
    },
  }
}
