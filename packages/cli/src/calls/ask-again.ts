import { setTimeout as wait } from 'node:timers/promises'
import { GatewayError } from '@farebox/client/errors'

/** Pause before the first repetition in ms; it doubles up to the maximum. */
const PAUSE_MS = 500
const PAUSE_MS_MAX = 8_000

/**
 * Sends a request until it is answered, while its errors are passing ones. Each attempt must have the same
 * idempotency key.
 *
 * @param how.patienceMs no attempt begins after this time
 * @param how.onFailure called with each passing error, and the pause that follows in ms; null: it gives up
 * @throws the last error
 */
export async function askAgain<Answer>(
  send: () => Promise<Answer>,
  how: {
    readonly patienceMs: number
    readonly signal: AbortSignal
    readonly onFailure: (error: GatewayError, pauseMs: number | null) => void
  },
): Promise<Answer> {
  const until = performance.now() + how.patienceMs
  for (let failures = 0; ; failures += 1) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof GatewayError) || !error.isPassing) throw error
      const backOff = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** Math.min(failures, 10))
      const pauseMs = Math.max(backOff, (error.retryAfter ?? 0) * 1_000)
      const isOver = performance.now() + pauseMs > until
      how.onFailure(error, isOver ? null : pauseMs)
      if (isOver) throw error
      await wait(pauseMs, undefined, { signal: how.signal })
    }
  }
}
