import { type ErrorContext, GatewayError } from '@farebox/wire/errors'
import type { OauthError } from '@farebox/wire/oauth'

/**
 * Returns the error of an OAuth request: INVALID_REQUEST, with OAuth's code as `error`.
 *
 * @param context such as `redirectTo`, if the client may receive the error
 */
export function oauthFault(error: OauthError, message: string, context: ErrorContext = {}): GatewayError {
  return new GatewayError('INVALID_REQUEST', { ...context, error }, { message })
}
