import { LRUCache } from 'lru-cache'
import type { Clock } from '../../ports.ts'

/** Failures in a row that open a breaker. */
const FAILURES_TO_OPEN = 5
/** How long an open breaker keeps calls away before it lets one try, in ms. */
const OPEN_MS = 10_000
/** How long the next trial waits for word of the one before, in ms: the one chosen may never have been sent. */
const TRIAL_MS = 1_000
/** Targets with recent failures that are remembered. */
const TARGETS_TRACKED_MAX = 10_000

/** Keeps live traffic away from targets that fail one call after the other. One per process. */
export type Breakers = {
  /** Whether a target is to be left alone now. Once the pause is over, one caller at a time hears no. */
  isOpen(url: string): boolean
  /** Tells how a call to a target ended: any success closes its breaker. */
  record(url: string, ok: boolean): void
}

/** Breakers that are all closed. */
export function createBreakers(clock: Pick<Clock, 'now'>): Breakers {
  const failing = new LRUCache<string, { failures: number; waitUntil: number }>({ max: TARGETS_TRACKED_MAX })
  return {
    isOpen(url) {
      const state = failing.get(url)
      if (state === undefined || state.failures < FAILURES_TO_OPEN) return false
      const now = clock.now()
      if (now < state.waitUntil) return true
      state.waitUntil = now + TRIAL_MS
      return false
    },
    record(url, ok) {
      if (ok) {
        failing.delete(url)
        return
      }
      const failures = (failing.get(url)?.failures ?? 0) + 1
      failing.set(url, { failures, waitUntil: clock.now() + OPEN_MS })
    },
  }
}
