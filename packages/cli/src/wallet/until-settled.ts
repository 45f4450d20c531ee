import { setTimeout as wait } from 'node:timers/promises'
import { GatewayError } from '@farebox/client/errors'

/** Pause between two questions, in ms. */
const PAUSE_MS = 1_000

/**
 * Asks until the answer is no longer that it is too early.
 *
 * @param code the error that stands for too early
 * @param how.onEarly called with each such error
 * @throws the last error after `how.waitMs`
 */
export async function untilSettled<Answer>(
  ask: () => Promise<Answer>,
  code: string,
  how: { readonly waitMs: number; readonly onEarly: (error: GatewayError) => void },
): Promise<Answer> {
  const until = performance.now() + how.waitMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const isEarly = error instanceof GatewayError && error.code === code
      if (!isEarly || performance.now() > until) throw error
      how.onEarly(error)
    }
    await wait(PAUSE_MS)
  }
}
