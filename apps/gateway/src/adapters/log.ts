import pino, { type DestinationStream } from 'pino'
import type { Log } from '../ports.ts'
import { errorOf, scrub } from './log-redaction.ts'
import { createOutageLines } from './outage-lines.ts'

/**
 * Creates the log: one JSON object per line. While the chain or the database is away, one
 * line a minute says so, and counts those that it stands for.
 *
 * @param options.level       `debug`: helps to find a fault; `info`: normal events; `warn`: recovers by itself, or a
 * fault of others; `error`: needs a person
 * @param options.destination receiver of lines
 * @param options.now         monotonic clock in ms, for tests
 */
export function createLog(options: {
  level: string
  destination: DestinationStream
  now?: () => number
}): Log {
  const thin = createOutageLines(options.now ?? (() => performance.now()))
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: { err: thrown => errorOf(thrown) },
      hooks: {
        streamWrite: scrub,
        logMethod(given, write) {
          const [fields, message] = given as unknown as [fields: object, message: string]
          const thinned = thin(fields)
          if (thinned !== null) write.apply(this, [thinned, message])
        },
      },
    },
    options.destination,
  )
}
