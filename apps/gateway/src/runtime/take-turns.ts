import { GatewayError } from '@farebox/wire/errors'
import { RETRY_AFTER_SECONDS } from './retry-after.ts'

/** Maximum length of a queue. */
const WAITING_MAX = 2_000

/** Runs a piece of work after all earlier ones are done. */
export type TakeTurns = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Returns a queue that runs pieces of work of this process one at a time, in order.
 *
 * @throws GatewayError UNAVAILABLE when the queue is full
 */
export function takeTurns(): TakeTurns {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async work => {
    if (waiting >= WAITING_MAX) {
      throw new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS.busy })
    }
    waiting += 1
    const done = last.then(work)
    last = done
      .catch(() => undefined) // the caller gets the error; the next one runs regardless
      .finally(() => {
        waiting -= 1
      })
    return done
  }
}
