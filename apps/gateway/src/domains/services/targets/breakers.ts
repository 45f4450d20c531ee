import type { Clock } from '../../../ports.ts'
import { createBoundedCache } from '../../../runtime/bounded-cache.ts'

/** Consecutive failures that pause a caller at a target, or make the target suspect. */
export const FAILURES_MAX = 5
/** Pause of a caller before trial calls, and minimum interval between two suspicions of a target, in ms. */
export const PAUSE_MS = 10_000
/** Maximum concurrent trial calls: no more than the failures that opened the breaker. */
const TRIALS_MAX = FAILURES_MAX
/** Timeout for the results of trials before the next ones, in ms: the chosen ones may never have been sent. */
const TRIAL_MS = 1_000
/** Maximum callers at targets with stored failures. Beyond it the oldest are dropped, and may call again. */
const CALLERS_TRACKED_MAX = 10_000
/** Maximum targets with stored failures, of all callers. */
const TARGETS_TRACKED_MAX = 10_000

/** Identity of a target for breakers: the same URL of other providers is separate. */
export type BreakerTarget = { readonly serviceId: string; readonly url: string }

/**
 * Circuit breakers per owner and target. They pause only that owner: its own requests may be at fault, and anyone could
 * otherwise disable a service for others by failing requests. Whether the target fails for all is decided by a probe,
 * requested when calls fail. One per process.
 */
export type Breakers = {
  /** Returns the breakers of one service's targets for calls of this owner. */
  of(serviceId: string, owner: string): ServiceBreakers
  /** Returns the number of open breakers. */
  countOpen(): number
}

/** The breakers of one service for one owner. */
export type ServiceBreakers = {
  /** Returns true if the owner must not call a target now. After the pause, a few calls at a time may. */
  isOpen(url: string): boolean
  /** Records the result of a call to a target: a success closes the breaker. */
  record(url: string, ok: boolean): void
}

type Caller = {
  readonly failures: number
  /** End of the pause, or of the timeout of the trials. */
  readonly waitUntil: number
  readonly trialsLeft: number
}

/** Failures of all callers at a target. */
type Suspicion = {
  readonly failures: number
  /** Not reported again before this time. */
  readonly mutedUntil: number
}

const isPaused = ({ failures }: Caller): boolean => failures >= FAILURES_MAX

/**
 * Creates breakers, all closed.
 *
 * @param onSuspect called with a target at which calls fail in a row, at most once per {@link PAUSE_MS}: it should be
 * probed
 */
export function createBreakers(
  clock: Pick<Clock, 'elapsed'>,
  onSuspect: (target: BreakerTarget) => void = () => undefined,
): Breakers {
  const callers = createBoundedCache<string, Caller>(CALLERS_TRACKED_MAX)
  const suspicions = createBoundedCache<string, Suspicion>(TARGETS_TRACKED_MAX)

  // Both are empty while nothing fails: then no lookup key is built, which would be three of 100 characters per call.
  const isOpen = (caller: string): boolean => {
    const state = callers.get(caller)
    if (state === undefined || !isPaused(state)) return false
    const now = clock.elapsed()
    const isNextWindow = now >= state.waitUntil
    const trialsLeft = isNextWindow ? TRIALS_MAX : state.trialsLeft
    if (trialsLeft === 0) return true
    const waitUntil = isNextWindow ? now + TRIAL_MS : state.waitUntil
    callers.set(caller, { ...state, waitUntil, trialsLeft: trialsLeft - 1 })
    return false
  }

  const fail = (caller: string): void => {
    const failures = (callers.get(caller)?.failures ?? 0) + 1
    callers.set(caller, { failures, waitUntil: clock.elapsed() + PAUSE_MS, trialsLeft: 0 })
  }

  /** Returns true if one more failure makes the target suspect and it must be reported. */
  const suspect = (target: string): boolean => {
    const before = suspicions.get(target)
    const now = clock.elapsed()
    const failures = (before?.failures ?? 0) + 1
    const isReported = failures >= FAILURES_MAX && now >= (before?.mutedUntil ?? 0)
    suspicions.set(target, { failures, mutedUntil: isReported ? now + PAUSE_MS : (before?.mutedUntil ?? 0) })
    return isReported
  }

  const clear = (target: string): void => {
    const before = suspicions.get(target)
    if (before === undefined) return
    if (clock.elapsed() >= before.mutedUntil) suspicions.delete(target)
    else suspicions.set(target, { ...before, failures: 0 })
  }

  return {
    countOpen: () => [...callers.values()].filter(isPaused).length,
    of(serviceId, owner) {
      const targetAt = (url: string) => `${serviceId} ${url}`
      const callerAt = (url: string) => `${owner} ${serviceId} ${url}`
      return {
        isOpen: url => callers.size > 0 && isOpen(callerAt(url)),
        record(url, ok) {
          if (ok) {
            if (callers.size > 0) callers.delete(callerAt(url))
            if (suspicions.size > 0) clear(targetAt(url))
            return
          }
          fail(callerAt(url))
          if (suspect(targetAt(url))) onSuspect({ serviceId, url })
        },
      }
    },
  }
}
