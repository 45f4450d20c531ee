import type { Log } from '../../apps/gateway/src/ports.ts'

/** The log of parts that the laboratory borrows. */
export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
