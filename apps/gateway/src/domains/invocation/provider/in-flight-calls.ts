import type { Clock } from '../../../ports.ts'

/** The calls that this process carries, from quote to settlement, whether or not their callers still wait. */
export type InFlightCalls = {
  /**
   * A call may begin more than once, and is over when each of its beginnings is.
   * @returns to be called once, when it is over
   */
  begin(invocationId: string): () => void
  has(invocationId: string): boolean
  count(): number
  /** Ids of those that began at this time, by {@link Clock.elapsed}, or before. */
  begunBy(time: number): string[]
  /** Resolves when there are none, or after so many ms. */
  over(waitMs: number): Promise<void>
}

/** None at first. */
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
