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

/** What live traffic says of a target. */
export type FailingTarget = BreakerTarget & {
  /**
   * `failing`: calls of several owners have failed in a row. `suspect`: those of one alone, whose requests may be at
   * fault rather than the target.
   */
  readonly verdict: 'failing' | 'suspect'
}

/**
 * Keeps live traffic away from targets that fail one call after the other, whoever calls. A target that fails for one
 * owner only is left open: otherwise anybody could close a service to all others by requests that make it fail. One
 * per process.
 */
export type Breakers = {
  /** The breakers of the targets of one service, as a call of this owner meets them. */
  of(serviceId: string, owner: string): ServiceBreakers
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
  /** Whose calls have failed: the first of them, and whether there were others. */
  readonly owner: string
  readonly isOfSeveral: boolean
  /** Until then a suspicion is not told again. */
  readonly suspectUntil: number
  /** End of the pause, or of the time in which the trials may be told of. */
  readonly waitUntil: number
  readonly trialsLeft: number
  /** Whether it has let calls try since it was opened. */
  readonly isTrying: boolean
}

const isTripped = ({ failures, isOfSeveral }: Pick<State, 'failures' | 'isOfSeveral'>): boolean =>
  failures >= FAILURES_TO_OPEN && isOfSeveral

/**
 * Breakers that are all closed.
 *
 * @param onFailing told of a target whose breaker opens, at first, and whenever its trials have failed; and of one that
 *   fails for one owner, once per {@link BREAKER_OPEN_MS}
 */
export function createBreakers(
  clock: Pick<Clock, 'now'>,
  onFailing: (target: FailingTarget) => void = () => undefined,
): Breakers {
  const failing = new LRUCache<string, State>({ max: TARGETS_TRACKED_MAX })

  const isOpen = (key: string): boolean => {
    const state = failing.get(key)
    if (state === undefined || !isTripped(state)) return false
    const now = clock.now()
    const isNextWindow = now >= state.waitUntil
    const trialsLeft = isNextWindow ? TRIALS_MAX : state.trialsLeft
    if (trialsLeft === 0) return true
    const waitUntil = isNextWindow ? now + TRIAL_MS : state.waitUntil
    failing.set(key, { ...state, waitUntil, trialsLeft: trialsLeft - 1, isTrying: true })
    return false
  }

  const fail = (key: string, owner: string): FailingTarget['verdict'] | null => {
    const before = failing.get(key)
    const now = clock.now()
    const after = {
      failures: (before?.failures ?? 0) + 1,
      owner: before?.owner ?? owner,
      isOfSeveral: before !== undefined && (before.isOfSeveral || before.owner !== owner),
      waitUntil: now + BREAKER_OPEN_MS,
      trialsLeft: 0,
      isTrying: false,
    }
    const wasTripped = before !== undefined && isTripped(before)
    const isSuspect =
      after.failures >= FAILURES_TO_OPEN && !after.isOfSeveral && now >= (before?.suspectUntil ?? 0)
    const suspectUntil = isSuspect ? now + BREAKER_OPEN_MS : (before?.suspectUntil ?? 0)
    failing.set(key, { ...after, suspectUntil })
    if (isTripped(after)) return wasTripped && before?.isTrying !== true ? null : 'failing'
    return isSuspect ? 'suspect' : null
  }

  return {
    countOpen: () => [...failing.values()].filter(isTripped).length,
    of(serviceId, owner) {
      const keyOf = (url: string) => `${serviceId} ${url}`
      return {
        isOpen: url => isOpen(keyOf(url)),
        record(url, ok) {
          if (ok) return void failing.delete(keyOf(url))
          const verdict = fail(keyOf(url), owner)
          if (verdict !== null) onFailing({ serviceId, url, verdict })
        },
      }
    },
  }
}
