import { outageIn } from './outage-lines.ts'

const REDACTED = '[redacted]'
/** Maximum causes of an error that are written. */
const CAUSES_MAX = 4
/** Maximum length of the text of an error, in characters. */
const TEXT_MAX = 4_000

/** Members whose name marks a secret. */
const SECRET_NAMES =
  'authorization|cookie|set-cookie|x-[\\w-]*(?:credential|key|token)|password|passwd|secret|token|' +
  'private_?key|api_?key|voucherCode|signature'

/**
 * Patterns that must not appear in a log. This is the second safeguard: no secret may be logged in the first place. 64
 * hex digits are a key unless the field marks them as a hash or a nonce of the chain.
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
  // The same in JSON inside a JSON string.
  [
    new RegExp(String.raw`(\\"(?:${SECRET_NAMES})\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:[^"\\]|\\["\\]))*`, 'gi'),
    `$1${REDACTED}`,
  ],
]

/** Removes everything from a line that looks like a secret. */
export function scrub(line: string): string {
  let clean = line
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement)
  return clean
}

/** A logged error: message and stack, without other members. */
type WrittenError = {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: WrittenError
}

/**
 * Returns an error for the log. Drivers attach their client, their configuration and the affected row, so of its
 * members only the code is kept. An outage has no stack: where it was noticed does not matter.
 */
export function errorOf(thrown: unknown): WrittenError {
  return written(thrown, { depth: 0, hasStack: outageIn(thrown) === null })
}

function written(thrown: unknown, how: { depth: number; hasStack: boolean }): WrittenError {
  const { depth, hasStack } = how
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown).slice(0, TEXT_MAX) }
  const { name, message, stack, cause } = thrown
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  return {
    type: name,
    message: message.slice(0, TEXT_MAX),
    ...(code !== undefined && { code }),
    ...(hasStack && stack !== undefined && { stack: stack.slice(0, TEXT_MAX) }),
    ...(cause !== undefined &&
      depth < CAUSES_MAX && { cause: written(cause, { depth: depth + 1, hasStack }) }),
  }
}
