import { type ErrorContext, GatewayError } from '@farebox/wire/errors'
import type { OauthError } from '@farebox/wire/oauth'

/**
 * Returns the error of a request by OAuth: INVALID_REQUEST, with the code that OAuth has for it as `error`.
 *
 * @param context such as `redirectTo`, where the client may be told
 */
export function oauthFault(error: OauthError, message: string, context: ErrorContext = {}): GatewayError {
  return new GatewayError('INVALID_REQUEST', { ...context, error }, { message })
}
