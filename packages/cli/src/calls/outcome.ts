import { GatewayError } from '@farebox/client/errors'

/** Errors of the system before a connection was made. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Returns whether a request may have been carried out although it failed.
 *
 * @param error         of its last attempt
 * @param isAttemptOpen true if an earlier attempt under the same key may have been carried out
 */
export function isOutcomeOpen(error: unknown, isAttemptOpen = false): boolean {
  return isAttemptOpen ? !isFinal(error) : mayHaveArrived(error)
}

/** Returns whether the gateway may have carried out the attempt that failed with an error. */
export function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return true
  // A status below 400 is that of an answer whose body was damaged.
  if (error.code === 'UNREADABLE') return error.status < 400
  return error.isPassing && error.code !== 'RATE_LIMITED' && !wasNotSent(error)
}

/**
 * Returns whether an error is the end of all attempts under a key. 401 and 403 are not: they are refusals before the
 * key was looked up, which say nothing about an attempt that arrived.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false
  const { code, status, isPassing } = error
  return !isPassing && code !== 'UNREADABLE' && status !== 401 && status !== 403
}

/** Returns whether an error proves that the request did not reach the gateway. */
function wasNotSent(error: GatewayError): boolean {
  const failed = error.cause
  const reason = failed instanceof Error ? failed.cause : undefined
  return (
    error.code === 'UNREACHABLE' &&
    reason instanceof Error &&
    'code' in reason &&
    NOT_CONNECTED.has(reason.code)
  )
}
