import { GatewayError, isUnavailable } from '@farebox/wire/errors'
import { RETRY_AFTER_SECONDS } from '../runtime/retry-after.ts'

/** A read-only server: a primary that became a replica. The connection is unusable. */
export const READ_ONLY = '25006'
/** The server timed a statement out. */
export const STATEMENT_TIMEOUT = '57014'
/** A statement sent after a failed one in the same transaction. */
export const ABORTED = '25P02'

/**
 * Converts a lost connection, a server that is too slow, and one that is no longer primary into UNAVAILABLE;
 * leaves every other error unchanged. Classes 08 (connection, except 08P01, a defect of ours), 53 (resources) and 57P
 * (shutdown) and the codes 57014 (statement timeout) and 25006 (read only) are PostgreSQL's; the rest is the socket's.
 */
export function rethrow(error: unknown): never {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : ''
  const isOutOfReach =
    /^(08(?!P)|53|57P|57014|25006)/.test(code) ||
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOST|ENET)/.test(code) ||
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Client was closed/.test(
      message,
    )
  if (!isOutOfReach) throw error
  throw unreachable(error)
}

/**
 * Returns UNAVAILABLE for a connection that could not be opened, whatever refused it: the network, a certificate that
 * has expired, or a password that was changed while the gateway runs.
 */
export function unreachable(cause: unknown): GatewayError {
  return new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS.pending, cause })
}

/** Returns the error for a statement that the server timed out. */
export function tookTooLong(limitMs: number, error: unknown): GatewayError {
  const message = `The query took longer than ${limitMs / 1_000} s. Retry, or request less.`
  const context = {
    retryAfterSeconds: RETRY_AFTER_SECONDS.pending,
    cause: error instanceof GatewayError ? error.cause : error,
  }
  return new GatewayError('UNAVAILABLE', { limit: 'statement_timeout', limitMs }, { message, ...context })
}

/**
 * Returns true if an error means that the server was unreachable, or took no writes for all: read-only, or with a full
 * disk (53100). One that timed a statement out (57014), or lacked another resource (53), was reachable.
 */
export function isLoss(error: unknown): boolean {
  return isUnavailable(error) && error.cause !== undefined && !/^(57014|53(?!100))/.test(codeOf(error))
}

/** Returns PostgreSQL's code of an error or its cause; `''` if there is none. */
export function codeOf(error: unknown): string {
  const own = error instanceof GatewayError ? error.cause : error
  return own instanceof Error && 'code' in own ? String(own.code) : ''
}
