import pino, { type DestinationStream } from 'pino'
import type { Log } from '../ports.ts'
import { errorOf, scrub } from './log-redaction.ts'

/** Bytes buffered before a write, for at most {@link FLUSH_EVERY_MS}; a warning is written at once. */
const GATHERED_BYTES = 8_192
const FLUSH_EVERY_MS = 500

/**
 * Creates the log: one JSON object per line, on standard output by default.
 *
 * @param options.level       `debug`: helps to find a fault; `info`: normal events; `warn`: recovers by itself, or a
 * fault of others; `error`: needs a person
 * @param options.destination receiver of lines, for tests
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
