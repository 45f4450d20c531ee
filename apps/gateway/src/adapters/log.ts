import pino, { type DestinationStream } from 'pino'
import type { Log } from '../ports.ts'
import { errorOf, scrub } from './log-redaction.ts'

/** Bytes that are gathered before they are written, at most for {@link FLUSH_EVERY_MS}; a warning is written at once. */
const GATHERED_BYTES = 8_192
const FLUSH_EVERY_MS = 500

/**
 * The log of a gateway: one JSON object a line, on standard output unless told otherwise.
 *
 * @param options.level       `debug`: what helps to find a fault; `info`: what happened; `warn`: what mends itself or
 *   somebody else's fault; `error`: what needs a person
 * @param options.destination where lines go, for tests
 */
export function createLog(options: { level: string; destination?: DestinationStream }): Log {
  const out = options.destination ?? standardOutput()
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: { err: thrown => errorOf(thrown) },
      hooks: { streamWrite: scrub },
    },
    out,
  )
}

/** Gathers lines of calm times; what is a warning or worse, and whatever is left at the end, is written at once. */
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
      // Standard output may not be open yet, or not any more: the lines stay gathered.
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
