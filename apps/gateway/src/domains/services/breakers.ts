import { LRUCache } from 'lru-cache'
import type { Clock } from '../../ports.ts'

/** Failures in a row that open a breaker. */
const FAILURES_TO_OPEN = 5
/** How long an open breaker keeps calls away before it lets some try, in ms. */
export const BREAKER_OPEN_MS = 10_000
/** Calls that try a target at once after that: no more than it took to open. */
const TRIALS_MAX = FAILURES_TO_OPEN
/** How long the next trials wait for word of those before, in ms: the ones chosen may never have been sent. */
const TRIAL_MS = 1_000
/** Targets with recent failures that are remembered. */
const TARGETS_TRACKED_MAX = 10_000

/** A target as breakers tell targets apart: what others make of a URL that is theirs too is their own affair. */
export type BreakerTarget = { readonly serviceId: string; readonly url: string }

/** Keeps live traffic away from targets that fail one call after the other. One per process. */
export type Breakers = {
  /** The breakers of the targets of one service. */
  of(serviceId: string): ServiceBreakers
  /** How many keep calls away now. */
  countOpen(): number
}

/** The breakers of one service. */
export type ServiceBreakers = {
  /** Whether a target is to be left alone now. Once the pause is over, a few callers at a time hear no. */
  isOpen(url: string): boolean
  /** Tells how a call to a target ended: any success closes its breaker. */
  record(url: string, ok: boolean): void
}

type State = {
  readonly failures: number
  /** End of the pause, or of the time in which the trials may be told of. */
  readonly waitUntil: number
  readonly trialsLeft: number
  /** Whether it has let calls try since it was opened. */
  readonly isTrying: boolean
}

/**
 * Breakers that are all closed.
 *
 * @param onOpen told of a target whose breaker opens: at first, and whenever its trials have failed
 */
export function createBreakers(
  clock: Pick<Clock, 'now'>,
  onOpen: (target: BreakerTarget) => void = () => undefined,
): Breakers {
  const failing = new LRUCache<string, State>({ max: TARGETS_TRACKED_MAX })

  const isOpen = (key: string): boolean => {
    const state = failing.get(key)
    if (state === undefined || state.failures < FAILURES_TO_OPEN) return false
    const now = clock.now()
    const isNextWindow = now >= state.waitUntil
    const trialsLeft = isNextWindow ? TRIALS_MAX : state.trialsLeft
    if (trialsLeft === 0) return true
    const waitUntil = isNextWindow ? now + TRIAL_MS : state.waitUntil
    failing.set(key, { ...state, waitUntil, trialsLeft: trialsLeft - 1, isTrying: true })
    return false
  }

  const fail = (key: string): boolean => {
    const before = failing.get(key)
    const failures = (before?.failures ?? 0) + 1
    failing.set(key, { failures, waitUntil: clock.now() + BREAKER_OPEN_MS, trialsLeft: 0, isTrying: false })
    return failures === FAILURES_TO_OPEN || (failures > FAILURES_TO_OPEN && before?.isTrying === true)
  }

  return {
    countOpen: () => [...failing.values()].filter(({ failures }) => failures >= FAILURES_TO_OPEN).length,
    of(serviceId) {
      const keyOf = (url: string) => `${serviceId} ${url}`
      return {
        isOpen: url => isOpen(keyOf(url)),
        record(url, ok) {
          if (ok) failing.delete(keyOf(url))
          else if (fail(keyOf(url))) onOpen({ serviceId, url })
        },
      }
    },
  }
}
