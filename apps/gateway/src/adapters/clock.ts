import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../ports.ts'

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  pause: ms => pause(ms),
}
