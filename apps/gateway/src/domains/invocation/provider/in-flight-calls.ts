import type { Clock } from '../../../ports.ts'

/** Calls of this process from quote to settlement, whether or not their callers still wait. */
export type InFlightCalls = {
  /**
   * Adds a call. It may be added more than once, and is over when each is.
   * @returns a function to call once, when it is over
   */
  begin(invocationId: string): () => void
  has(invocationId: string): boolean
  count(): number
  /** Returns the ids of calls added at or before this time, by {@link Clock.elapsed}. */
  begunBy(time: number): string[]
  /** Resolves when there are none, or after this many ms. */
  over(waitMs: number): Promise<void>
}

/** Starts empty. */
export function createInFlightCalls(clock: Clock): InFlightCalls {
  const calls = new Map<string, { readonly since: number; beginnings: number }>()
  let whenNone: (() => void)[] = []
  return {
    begin(invocationId) {
      const call = calls.get(invocationId) ?? { since: clock.elapsed(), beginnings: 0 }
      call.beginnings += 1
      calls.set(invocationId, call)
      return () => {
        call.beginnings -= 1
        if (call.beginnings > 0) return
        calls.delete(invocationId)
        if (calls.size > 0) return
        for (const done of whenNone.splice(0)) done()
      }
    },
    has: invocationId => calls.has(invocationId),
    count: () => calls.size,
    begunBy: time => [...calls].flatMap(([id, { since }]) => (since <= time ? [id] : [])),
    over(waitMs) {
      if (calls.size === 0) return Promise.resolve()
      return new Promise<void>(done => {
        const timer = setTimeout(done, waitMs)
        const finish = () => {
          clearTimeout(timer)
          done()
        }
        whenNone = [...whenNone, finish]
      })
    },
  }
}
