import { createLog } from '../../src/adapters/log.ts'
import type { Log } from '../../src/ports.ts'

/** A parsed line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string }

/** The log of a gateway, kept in memory. */
export type KeptLog = {
  readonly log: Log
  readonly lines: LogLine[]
  text(): string
}

/**
 * Returns a log that is kept in memory.
 *
 * @param now its monotonic clock, in ms
 */
export function keepLog(level: string, now?: () => number): KeptLog {
  const texts: string[] = []
  const lines: LogLine[] = []
  const log = createLog({
    level,
    ...(now && { now }),
    destination: {
      write(text) {
        texts.push(text)
        lines.push(JSON.parse(text) as LogLine)
      },
    },
  })
  return { log, lines, text: () => texts.join('') }
}
