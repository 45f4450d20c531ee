import type { Clock } from '../../../ports.ts'
import type { Fault } from '../provider/verdict-rules.ts'
import { type Bands, bandOf } from './latency-rules.ts'

const HOUR_MS = 3_600_000
/** Maximum counts between two flushes, by target and hour; attempts beyond are not counted. */
const COUNTS_MAX = 10_000

/** An attempt of a call at a target. */
export type Attempt = {
  readonly url: string
  /** In ms; of a stream to its end. */
  readonly latencyMs: number
  /** Null if it was answered well, `open` while the usage that it is paid by is awaited. */
  readonly fault: Fault | 'open' | null
}

/** Attempts at a target within an hour. */
export type CountedAttempts = {
  /** Wallet, in lower case. */
  readonly provider: string
  readonly hour: Date
  readonly serviceId: string
  readonly url: string
  readonly calls: number
  readonly succeeded: number
  readonly providerFaults: number
  readonly callerFaults: number
  readonly otherFaults: number
  /** In micro-USDC. */
  readonly earned: bigint
  /** Latencies of the successful ones. */
  readonly latencies: Bands
}

/** Counts attempts between flushes. In memory: a crash loses a few seconds of counts. */
export type TargetTally = {
  /**
   * Counts the attempts of a call.
   *
   * @param ended.earned charge less the fee, in micro-USDC; counts for the last attempt
   */
  record(
    service: { readonly provider: string; readonly serviceId: string },
    ended: { readonly attempts: readonly Attempt[]; readonly earned: bigint },
  ): void
  /** Adds back counts that could not be stored. */
  putBack(counts: readonly CountedAttempts[]): void
  /** Returns the counts and starts again at zero. */
  take(): CountedAttempts[]
}

type Mutable = { -readonly [Name in keyof CountedAttempts]: CountedAttempts[Name] } & { latencies: number[] }

/** Creates a tally for this process. */
export function createTargetTally(clock: Pick<Clock, 'now'>): TargetTally {
  let counts = new Map<string, Mutable>()
  /** Returns the counts of a target; null if there are too many. */
  const countsOf = (at: Pick<CountedAttempts, 'provider' | 'hour' | 'serviceId' | 'url'>) => {
    const key = `${at.serviceId} ${at.hour.getTime()} ${at.url}`
    const before = counts.get(key)
    if (before !== undefined || counts.size >= COUNTS_MAX) return before ?? null
    const { provider, hour, serviceId, url } = at
    const made = { provider, hour, serviceId, url, ...nothing() }
    counts.set(key, made)
    return made
  }
  return {
    record({ provider, serviceId }, { attempts, earned }) {
      const now = clock.now()
      const hour = new Date(now - (now % HOUR_MS))
      for (const [index, { url, latencyMs, fault }] of attempts.entries()) {
        const sums = countsOf({ provider, hour, serviceId, url })
        if (sums === null) continue
        sums.calls += 1
        if (fault === null) {
          sums.succeeded += 1
          addTo(sums.latencies, bandOf(latencyMs), 1)
        } else if (fault !== 'open') sums[`${fault}Faults`] += 1
        if (index === attempts.length - 1) sums.earned += earned
      }
    },
    putBack(taken) {
      for (const each of taken) {
        const sums = countsOf(each)
        if (sums === null) continue
        for (const name of NUMBERS) sums[name] += each[name]
        sums.earned += each.earned
        for (const [band, count] of each.latencies.entries()) addTo(sums.latencies, band, count)
      }
    },
    take() {
      const taken = [...counts.values()]
      counts = new Map()
      return taken
    },
  }
}

const NUMBERS = ['calls', 'succeeded', 'providerFaults', 'callerFaults', 'otherFaults'] as const

const nothing = () => ({
  calls: 0,
  succeeded: 0,
  providerFaults: 0,
  callerFaults: 0,
  otherFaults: 0,
  earned: 0n,
  latencies: [],
})

function addTo(bands: number[], band: number, count: number): void {
  while (bands.length <= band) bands.push(0)
  bands[band] = (bands[band] ?? 0) + count
}
