import type { LoadResult } from '../messages.ts'
import { createLatencies } from './latencies.ts'
import type { Ending } from './open-ending.ts'

const ERROR_SAMPLES_MAX = 5

/** Times of one call, in ms on any one clock. */
export type CallTimes = { readonly dueAt: number; readonly sentAt: number; readonly endedAt: number }

/** Notes what became of calls; only those of the measured time make figures. */
export type Sightings = {
  answered(ending: Ending, times: CallTimes): void
  /** A call that was due and never sent. */
  leftOver(dueAt: number, givenUpAt: number): void
  errors(): number
  result(returnsEach: boolean): Omit<LoadResult, 'goodByTarget'>
}

/** @param window the measured time, on the clock of the calls, in ms; its end is not part of it */
export function createSightings(window: { from: number; to: number }): Sightings {
  const isInside = (at: number) => at >= window.from && at < window.to
  const latencies = createLatencies()
  const served = createLatencies()
  const errorSamples: string[] = []
  const count = { due: 0, good: 0, shed: 0, unsent: 0, errors: 0 }
  return {
    answered(ending, { dueAt, sentAt, endedAt }) {
      if (isInside(dueAt)) count.due += 1
      if (ending.end === 'wrong') {
        count.errors += 1
        if (errorSamples.length < ERROR_SAMPLES_MAX) errorSamples.push(ending.why)
        return
      }
      if (isInside(endedAt)) count[ending.end] += 1
      if (ending.end === 'good' && isInside(dueAt)) {
        latencies.add(endedAt - dueAt)
        served.add(endedAt - sentAt)
      }
    },
    leftOver(dueAt, givenUpAt) {
      if (!isInside(dueAt)) return
      count.due += 1
      count.unsent += 1
      latencies.add(givenUpAt - dueAt)
    },
    errors: () => count.errors,
    result(returnsEach) {
      const seconds = (window.to - window.from) / 1_000
      return {
        duePerSecond: count.due / seconds,
        perSecond: count.good / seconds,
        shedPerSecond: count.shed / seconds,
        latency: latencies.tail(),
        served: served.tail(),
        each: returnsEach ? latencies.each() : null,
        unsent: count.unsent,
        errors: count.errors,
        errorSamples,
      }
    },
  }
}
