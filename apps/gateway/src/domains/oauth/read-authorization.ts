import type { AuthorizationQuery } from '@farebox/wire/oauth'
import type { Deps } from '../../ports.ts'
import { oauthFault } from './oauth-fault.ts'
import { asDescription, isAtGateway, isChallenge, mayRedirect, resourceOf, withParameters } from './rules.ts'
import { type ClientRow, findClient } from './store.ts'

/** A valid authorization request, for display to an owner. */
export type Authorization = {
  readonly client: ClientRow
  /** As requested by the client. */
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly resource: string
  /** Returns the redirect URL with an outcome; `state` and `iss` are added (RFC 9207). */
  readonly redirectTo: (outcome: Readonly<Record<string, string>>) => string
}

/**
 * Parses an authorization request (RFC 6749, 4.1.1).
 *
 * @throws GatewayError INVALID_REQUEST with the `error` of OAuth; with `redirectTo` only if client and redirect URI are
 * known to belong together, so that nobody is redirected to an address chosen by a stranger
 */
export async function readAuthorization(
  deps: Pick<Deps, 'rawDb' | 'publicUrl'>,
  asked: AuthorizationQuery,
): Promise<Authorization> {
  const { client_id: id, redirect_uri: redirectUri, state, code_challenge: codeChallenge } = asked
  const client = id === undefined ? undefined : await findClient(deps.rawDb, id)
  if (client === undefined) {
    const message =
      'client_id: This client is not registered, or no longer. Remove this gateway from the client and add it again.'
    throw oauthFault('invalid_client', message)
  }
  if (redirectUri === undefined || !client.redirectUris.some(own => mayRedirect(own, redirectUri))) {
    throw oauthFault('invalid_request', 'redirect_uri: The client has not registered this address.')
  }
  // Clients that registered earlier, or on loopback with another port.
  if (isAtGateway(redirectUri, deps.publicUrl)) {
    throw oauthFault('invalid_request', 'redirect_uri: The address is at this gateway.')
  }
  const redirectTo = (outcome: Readonly<Record<string, string>>) =>
    withParameters(redirectUri, { ...outcome, state, iss: deps.publicUrl })
  const fault = (error: Parameters<typeof oauthFault>[0], message: string) =>
    oauthFault(error, message, {
      redirectTo: redirectTo({ error, error_description: asDescription(message) }),
    })
  if (asked.response_type !== 'code') throw fault('unsupported_response_type', 'response_type: Must be code.')
  if (asked.code_challenge_method !== 'S256' || !isChallenge(codeChallenge)) {
    throw fault('invalid_request', 'code_challenge: A challenge of the method S256 is required (RFC 7636).')
  }
  const resource = resourceOf(deps.publicUrl, asked.resource)
  if (resource === null) throw fault('invalid_target', 'resource: This is not a resource of this gateway.')
  return { client, redirectUri, codeChallenge, resource, redirectTo }
}
