import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../ports.ts'

/** Failures in a row that pause a caller at a target, or make the target suspect. */
export const FAILURES_MAX = 5
/** How long a caller is kept away before some of its calls may try, and the shortest time between two suspicions, in ms. */
export const PAUSE_MS = 10_000
/** Calls that try a target at once after that: no more than it took to pause. */
const TRIALS_MAX = FAILURES_MAX
/** How long the next trials wait for word of those before, in ms: the ones chosen may never have been sent. */
const TRIAL_MS = 1_000
/** Callers at targets whose failures are remembered. Past it the oldest are forgotten, and call again. */
const CALLERS_TRACKED_MAX = 10_000
/** Targets whose failures are remembered, whoever called. */
const TARGETS_TRACKED_MAX = 10_000

/** A target as breakers tell targets apart: what others make of a URL that is theirs too is their own affair. */
export type BreakerTarget = { readonly serviceId: string; readonly url: string }

/**
 * Keeps the calls of an owner away from a target at which they fail one after the other. It is the owner's own pause:
 * its requests may be at fault, and whoever would knock a service out for others has only to make requests that fail.
 * Whether the target fails for everybody is for a probe to say, which is asked for when calls fail. One per process.
 */
export type Breakers = {
  /** The breakers of the targets of one service, as a call of this owner meets them. */
  of(serviceId: string, owner: string): ServiceBreakers
  /** How many keep an owner's calls away from a target now. */
  countOpen(): number
}

/** The breakers of one service for one owner. */
export type ServiceBreakers = {
  /** Whether the owner is to leave a target alone now. Once the pause is over, a few calls at a time hear no. */
  isOpen(url: string): boolean
  /** Notes how a call to a target ended: a success ends the owner's pause. */
  record(url: string, ok: boolean): void
}

type Caller = {
  readonly failures: number
  /** End of the pause, or of the time in which the trials may be told of. */
  readonly waitUntil: number
  readonly trialsLeft: number
}

/** What all callers together have met at a target. */
type Suspicion = {
  readonly failures: number
  /** Until then it is not told again. */
  readonly toldUntil: number
}

const isPaused = ({ failures }: Caller): boolean => failures >= FAILURES_MAX

/**
 * Breakers that are all closed.
 *
 * @param onSuspect told of a target at which calls fail one after the other, at most once per {@link PAUSE_MS}: it
 *   should be probed
 */
export function createBreakers(
  clock: Pick<Clock, 'now'>,
  onSuspect: (target: BreakerTarget) => void = () => undefined,
): Breakers {
  const callers = new LRUCache<string, Caller>({ max: CALLERS_TRACKED_MAX })
  const suspicions = new LRUCache<string, Suspicion>({ max: TARGETS_TRACKED_MAX })

  // Both are empty as long as nothing fails: then no key is made to look, three of 100 characters for each call.
  const isOpen = (caller: string): boolean => {
    const state = callers.get(caller)
    if (state === undefined || !isPaused(state)) return false
    const now = clock.now()
    const isNextWindow = now >= state.waitUntil
    const trialsLeft = isNextWindow ? TRIALS_MAX : state.trialsLeft
    if (trialsLeft === 0) return true
    const waitUntil = isNextWindow ? now + TRIAL_MS : state.waitUntil
    callers.set(caller, { ...state, waitUntil, trialsLeft: trialsLeft - 1 })
    return false
  }

  const fail = (caller: string): void => {
    const failures = (callers.get(caller)?.failures ?? 0) + 1
    callers.set(caller, { failures, waitUntil: clock.now() + PAUSE_MS, trialsLeft: 0 })
  }

  /** Whether the target becomes suspect by one more failure, and is to be told of. */
  const suspect = (target: string): boolean => {
    const before = suspicions.get(target)
    const now = clock.now()
    const failures = (before?.failures ?? 0) + 1
    const isTold = failures >= FAILURES_MAX && now >= (before?.toldUntil ?? 0)
    suspicions.set(target, { failures, toldUntil: isTold ? now + PAUSE_MS : (before?.toldUntil ?? 0) })
    return isTold
  }

  const clear = (target: string): void => {
    const before = suspicions.get(target)
    if (before === undefined) return
    if (clock.now() >= before.toldUntil) suspicions.delete(target)
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
