import { setTimeout as pause } from 'node:timers/promises'

/** Speed of the sample model. */
export type Speed = {
  /** Tokens per second; 0: unlimited. */
  readonly tokensPerSecond: number
  /** Time to the first token, in ms. */
  readonly firstTokenDelayMs: number
}

/** Waits until the next `tokens` of a completion are due; returns at once if they are. */
export type Pace = (tokens: number) => Promise<void> | undefined

/**
 * Creates a pace that starts now.
 *
 * @param signal ends a wait (which then rejects) and its timer
 */
export function startPace(speed: Speed, signal: AbortSignal): Pace {
  const { tokensPerSecond, firstTokenDelayMs } = speed
  const start = performance.now() + firstTokenDelayMs
  let spoken = 0
  return tokens => {
    spoken += tokens
    const speaking = tokensPerSecond === 0 ? 0 : (spoken / tokensPerSecond) * 1_000
    const waitMs = tokens === 0 ? 0 : start + speaking - performance.now()
    return waitMs < 1 ? undefined : pause(waitMs, undefined, { signal })
  }
}
