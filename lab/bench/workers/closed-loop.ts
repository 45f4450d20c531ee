import { setTimeout as delay } from 'node:timers/promises'
import { createLatencies } from './latencies.ts'
import type { LoopResult, LoopShape } from './messages.ts'

/** Wrong answers that end a job early: something is broken, and there is nothing to measure. */
const ERRORS_MAX = 1_000
const ERROR_SAMPLES_MAX = 5
/** The most that a caller waits after a shed, in ms. */
const RETRY_WAIT_MAX_MS = 5_000

/** Outcome of a call. */
export type Ending =
  | { readonly end: 'good' }
  /** Refused for now, with the time after which it may be tried again. */
  | { readonly end: 'shed'; readonly retryAfterMs: number }
  | { readonly end: 'wrong'; readonly why: string }

/** Makes one call on one connection. Must not reject. */
export type MakeCall = (connection: number, number: number) => Promise<Ending>

/** Makes calls one after another on every connection; after a shed, none for the time in `Retry-After`. */
export async function runClosed(
  { callers, warmupSeconds, seconds }: Omit<LoopShape, 'origin'>,
  makeCall: MakeCall,
): Promise<LoopResult> {
  const startedAt = performance.now()
  const now = () => performance.now() - startedAt
  const from = warmupSeconds * 1_000
  const endsAt = from + seconds * 1_000
  const isMeasured = (at: number) => at >= from && at < endsAt
  const latencies = createLatencies()
  const errorSamples: string[] = []
  const count = { good: 0, shed: 0, errors: 0 }
  let sent = 0

  const note = (ending: Ending, sentAt: number, endedAt: number): void => {
    if (ending.end === 'wrong') {
      count.errors += 1
      if (errorSamples.length < ERROR_SAMPLES_MAX) errorSamples.push(ending.why)
      return
    }
    if (isMeasured(endedAt)) count[ending.end] += 1
    if (ending.end === 'good' && isMeasured(sentAt)) latencies.add(endedAt - sentAt)
  }
  const loop = async (connection: number): Promise<void> => {
    while (count.errors < ERRORS_MAX) {
      const sentAt = now()
      if (sentAt >= endsAt) return
      sent += 1
      const ending = await makeCall(connection, sent - 1)
      const endedAt = now()
      note(ending, sentAt, endedAt)
      if (ending.end !== 'shed') continue
      const leftMs = Math.max(0, endsAt - endedAt)
      await delay(Math.ceil(Math.min(ending.retryAfterMs, RETRY_WAIT_MAX_MS, leftMs)))
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, index) => loop(index)))
  return {
    perSecond: count.good / seconds,
    shedPerSecond: count.shed / seconds,
    latency: latencies.percentiles(),
    errors: count.errors,
    errorSamples,
  }
}
