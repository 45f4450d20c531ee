import pino, { type DestinationStream } from 'pino'
import type { Log } from '../ports.ts'

const REDACTED = '[redacted]'
/** Causes behind an error that are written. */
const CAUSES_MAX = 4
/** Longest text of an error that is written, in characters. */
const TEXT_MAX = 4_000
/** Bytes that are gathered before they are written, at most for {@link FLUSH_EVERY_MS}; a warning is written at once. */
const GATHERED_BYTES = 8_192
const FLUSH_EVERY_MS = 500

/**
 * What must not stand in a log, whatever put it there. This is the second net: nobody may log a secret in the first
 * place. 64 digits of hex are a key unless the field says that they are a hash of the chain.
 */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(agt|psk|whsec)_[A-Za-z0-9+/=_-]{8,}/g, `$1_${REDACTED}`],
  [/\bFBX(?:-[0-9A-Za-z]{4}){3,}/g, REDACTED],
  [/\beyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g, REDACTED],
  [/(?<!"(?:txHash|hash|blockHash|was|is)":"|[\dA-Za-z])(?:0x)?[\da-fA-F]{64,}(?![\da-zA-Z])/g, REDACTED],
  [/\b(Bearer|Basic) +[^\s"\\]+/gi, `$1 ${REDACTED}`],
  [/(:\/\/)[^\s/"\\@]+@/g, `$1${REDACTED}@`],
  [
    /(\\?"(?:authorization|cookie|set-cookie|x-[\w-]*(?:credential|key|token)|password|passwd|secret|token|private_?key|api_?key|voucherCode|signature)\\?"\s*:\s*\\?")[^"\\]*/gi,
    `$1${REDACTED}`,
  ],
]

/** Takes out of a line what looks like a secret. */
export function scrub(line: string): string {
  let clean = line
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement)
  return clean
}

/** An error as it is written: what it says and where, never what hangs on it. */
type WrittenError = {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: WrittenError
}

/**
 * Reads an error for the log. Drivers hang their client, their configuration and the row at fault on theirs, so of
 * their members only the code is taken.
 */
function errorOf(thrown: unknown, depth = 0): WrittenError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown).slice(0, TEXT_MAX) }
  const { name, message, stack, cause } = thrown
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  return {
    type: name,
    message: message.slice(0, TEXT_MAX),
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack: stack.slice(0, TEXT_MAX) }),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: errorOf(cause, depth + 1) }),
  }
}

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
