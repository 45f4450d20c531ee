import type { Clock } from '../../ports.ts'

/** The calls that this process carries, from quote to settlement, whether or not their callers still wait. */
export type CallsUnderWay = {
  /** @returns to be called when the call is over */
  begin(invocationId: string): () => void
  has(invocationId: string): boolean
  count(): number
  /** Ids of those that began at this time, in Unix ms, or before. */
  begunBy(time: number): string[]
  /** Resolves when there are none, or after so many ms. */
  over(waitMs: number): Promise<void>
}

/** None at first. */
export function createCallsUnderWay(clock: Clock): CallsUnderWay {
  const calls = new Map<string, number>()
  let whenNone: (() => void)[] = []
  return {
    begin(invocationId) {
      calls.set(invocationId, clock.now())
      return () => {
        calls.delete(invocationId)
        if (calls.size > 0) return
        for (const done of whenNone.splice(0)) done()
      }
    },
    has: invocationId => calls.has(invocationId),
    count: () => calls.size,
    begunBy: time => [...calls].flatMap(([id, since]) => (since <= time ? [id] : [])),
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
