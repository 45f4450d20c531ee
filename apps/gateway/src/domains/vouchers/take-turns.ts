import { GatewayError } from '@farebox/wire/errors'

/** Most that wait for their turn at once. */
const WAITING_MAX = 2_000
const RETRY_AFTER_SECONDS = 1

/** Does a piece of work when all that came before it are done. */
export type TakeTurns = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Has the redemptions of this process go one after the other. They all wait for the lock on promotions anyway: those
 * that wait here hold no connection meanwhile, of which a rush on a popular voucher would leave none to anybody else.
 *
 * @throws GatewayError UNAVAILABLE when too many wait already
 */
export function takeTurns(): TakeTurns {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async work => {
    if (waiting >= WAITING_MAX) {
      throw new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    waiting += 1
    const done = last.then(work)
    last = done
      .catch(() => undefined) // whoever asked is told; the next one has its turn all the same
      .finally(() => {
        waiting -= 1
      })
    return done
  }
}
