const REDACTED = '[redacted]'
/** Causes behind an error that are written. */
const CAUSES_MAX = 4
/** Longest text of an error that is written, in characters. */
const TEXT_MAX = 4_000

/** Members whose value is a secret by their name. */
const SECRET_NAMES =
  'authorization|cookie|set-cookie|x-[\\w-]*(?:credential|key|token)|password|passwd|secret|token|' +
  'private_?key|api_?key|voucherCode|signature'

/**
 * What must not stand in a log, whatever put it there. This is the second net: nobody may log a secret in the first
 * place. 64 digits of hex are a key unless the field says that they are a hash or a nonce of the chain.
 */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(agt|psk|whsec|sigsec)_[A-Za-z0-9+/=_-]{8,}/g, `$1_${REDACTED}`],
  [/\bFBX(?:-[0-9A-Za-z]{4}){3,}/g, REDACTED],
  [/\beyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g, REDACTED],
  [
    /(?<!"(?:txHash|hash|blockHash|was|is|nonce)":"|[\dA-Za-z])(?:0x)?[\da-fA-F]{64,}(?![\da-zA-Z])/g,
    REDACTED,
  ],
  [/\b(Bearer|Basic) +[^\s"\\]+/gi, `$1 ${REDACTED}`],
  [/(:\/\/)[^\s/"\\@]+@/g, `$1${REDACTED}@`],
  [new RegExp(String.raw`("(?:${SECRET_NAMES})"\s*:\s*")(?:[^"\\]|\\.)*`, 'gi'), `$1${REDACTED}`],
  // The same in JSON that is a text of JSON.
  [
    new RegExp(String.raw`(\\"(?:${SECRET_NAMES})\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:[^"\\]|\\["\\]))*`, 'gi'),
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
export function errorOf(thrown: unknown, depth = 0): WrittenError {
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
