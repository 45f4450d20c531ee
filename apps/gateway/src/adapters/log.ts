import pino, { type DestinationStream } from 'pino'
import type { Log } from '../ports.ts'
import { errorOf, scrub } from './log-redaction.ts'
import { createOutageLines } from './outage-lines.ts'

/** Bytes buffered before a write, for at most {@link FLUSH_EVERY_MS}; a warning is written at once. */
const GATHERED_BYTES = 8_192
const FLUSH_EVERY_MS = 500

/**
 * Creates the log: one JSON object per line, on standard output by default. While the chain or the database is away, one
 * line a minute says so, and counts those that it stands for.
 *
 * @param options.level       `debug`: helps to find a fault; `info`: normal events; `warn`: recovers by itself, or a
 * fault of others; `error`: needs a person
 * @param options.destination receiver of lines, for tests
 * @param options.now         monotonic clock in ms, for tests
 */
export function createLog(options: {
  level: string
  destination?: DestinationStream
  now?: () => number
}): Log {
  const out = options.destination ?? standardOutput()
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
    out,
  )
}

/** Buffers lines; writes at once for warnings and above, and at the end. */
function standardOutput(): DestinationStream {
  const out = pino.destination({
    dest: 1,
    sync: false,
    minLength: GATHERED_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  })
  const flush = () => {
    try {
      out.flushSync()
    } catch {
      // Standard output may not be open yet, or closed: the lines stay buffered.
    }
  }
  process.on('exit', flush)
  return {
    write(line) {
      out.write(line)
      if (/^\{"level":"(?:warn|error)"/.test(line)) flush()
    },
  }
}
