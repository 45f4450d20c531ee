import { z } from 'zod'
import { idOut, success, textOut } from '../common.ts'
import { shownName } from '../people/names.ts'
import { strict } from '../strict.ts'
import { issueCredentialBody } from './credentials.ts'

// OAuth 2.1 for clients that cannot be given a credential by hand, such as MCP clients in a browser or on a desktop.

/** Maximum number of redirect URIs of a client. */
const REDIRECT_URIS_MAX = 10
/** Maximum length of a redirect URI. */
const REDIRECT_URI_LENGTH_MAX = 512
/** Maximum length of the name of a client. */
const CLIENT_NAME_LENGTH_MAX = 80
const STATE_LENGTH_MAX = 2_048
const VALUE_LENGTH_MAX = 512
/** Maximum length of a redirect URL with an outcome: a URI, `state` and `iss`, each character escaped. */
const REDIRECT_URL_LENGTH_MAX = 3 * (REDIRECT_URI_LENGTH_MAX + STATE_LENGTH_MAX + 2_048)

/** The scope of every token: paid calls, within the limits that the owner sets. */
export const OAUTH_SCOPE = 'calls'

const url = z.string().max(2_048).meta({ format: 'uri' })
const redirectUrl = z.string().max(REDIRECT_URL_LENGTH_MAX).meta({ format: 'uri' })
const printable = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x20-\x7e]*$/, 'Must be printable ASCII.')
const redirectUri = printable(REDIRECT_URI_LENGTH_MAX)
const clientId = idOut('oac')

/** Body of `POST /oauth/register` (RFC 7591, 2). Metadata that is not named here is ignored. */
export const registerClientBody = z.looseObject({
  redirect_uris: z.array(redirectUri).min(1).max(REDIRECT_URIS_MAX).meta({
    description:
      'https, http on a loopback address, whose port may differ later (RFC 8252, 7.3), or the scheme of a known program or a domain in reverse (7.1).',
  }),
  client_name: shownName(CLIENT_NAME_LENGTH_MAX).optional(),
})
export type RegisterClientBody = z.output<typeof registerClientBody>

const only = (value: string) => z.array(z.literal(value)).length(1)

/** Answer of `POST /oauth/register` (RFC 7591, 3.2.1). All clients are public: they have no secret. */
export const registeredClient = z.object({
  client_id: clientId,
  client_id_issued_at: z.int().min(0),
  client_name: textOut(CLIENT_NAME_LENGTH_MAX),
  redirect_uris: z.array(redirectUri).max(REDIRECT_URIS_MAX),
  grant_types: only('authorization_code'),
  response_types: only('code'),
  token_endpoint_auth_method: z.literal('none'),
})

const authorizationShape = {
  response_type: printable(VALUE_LENGTH_MAX).optional().meta({ description: '`code`.' }),
  client_id: printable(VALUE_LENGTH_MAX).optional().meta({ description: 'As registered.' }),
  redirect_uri: printable(REDIRECT_URI_LENGTH_MAX)
    .optional()
    .meta({ description: 'Redirect URI that the client registered.' }),
  code_challenge: printable(VALUE_LENGTH_MAX)
    .optional()
    .meta({ description: 'SHA-256 of the verifier, base64url (RFC 7636).' }),
  code_challenge_method: printable(VALUE_LENGTH_MAX).optional().meta({ description: '`S256`.' }),
  state: printable(STATE_LENGTH_MAX).optional().meta({ description: 'Passed back to the client.' }),
  resource: printable(VALUE_LENGTH_MAX)
    .optional()
    .meta({ description: 'URL of `/mcp` or of the gateway (RFC 8707); absent: `/mcp`.' }),
  scope: printable(STATE_LENGTH_MAX).optional().meta({ description: 'Ignored: there is one scope.' }),
}

/**
 * Query of `GET /oauth/authorization`: an authorization request (RFC 6749, 4.1.1; RFC 7636; RFC 8707). Its members are
 * checked by the use case, as some errors are passed to the client and others are not.
 */
export const authorizationQuery = z.object(authorizationShape)
export type AuthorizationQuery = z.output<typeof authorizationQuery>

/** Body of `POST /oauth/authorization`: the request that the owner was shown, and the limits of the credential. */
export const authorizeBody = strict({
  request: strict(authorizationShape),
  credential: issueCredentialBody,
})
export type AuthorizeBody = z.output<typeof authorizeBody>

/** Answer of `GET /oauth/authorization`. */
export const shownAuthorization = z.object({
  status: success,
  client: z.object({
    id: clientId,
    name: textOut(CLIENT_NAME_LENGTH_MAX).meta({
      description: 'Chosen by the client, unverified.',
    }),
    registeredAt: z.iso.datetime({ precision: 3 }),
  }),
  redirectHost: textOut(VALUE_LENGTH_MAX).meta({
    description: 'Host that receives the code, or scheme and host of a program.',
  }),
  isLoopback: z.boolean().meta({ description: 'Whether that is a program on the machine of the user.' }),
  resource: url,
  deniedUrl: redirectUrl.meta({ description: 'Redirect URL if the owner declines.' }),
})

/** Answer of `POST /oauth/authorization`. */
export const authorized = z.object({
  status: success,
  redirectTo: redirectUrl.meta({ description: 'Redirect URL with the code, for the browser.' }),
  credentialId: idOut('cred'),
})

/** Body of `POST /oauth/token` (RFC 6749, 4.1.3). */
export const tokenBody = z.looseObject({
  grant_type: printable(VALUE_LENGTH_MAX),
  code: printable(VALUE_LENGTH_MAX),
  redirect_uri: redirectUri,
  client_id: printable(VALUE_LENGTH_MAX),
  code_verifier: printable(VALUE_LENGTH_MAX),
  resource: printable(VALUE_LENGTH_MAX).optional(),
})
export type TokenBody = z.output<typeof tokenBody>

/** Answer of `POST /oauth/token` (RFC 6749, 5.1). The token is that of a credential; there is no refresh token. */
export const issuedToken = z.object({
  access_token: z.string().regex(/^agt_[0-9A-Za-z]{49}$/),
  token_type: z.literal('Bearer'),
  expires_in: z.int().min(0).optional(),
  scope: z.literal(OAUTH_SCOPE),
})

/** Body of `POST /oauth/revoke` (RFC 7009, 2.1). */
export const revokeBody = z.looseObject({
  token: printable(VALUE_LENGTH_MAX),
  client_id: printable(VALUE_LENGTH_MAX),
})

/** Answer of `POST /oauth/revoke`, also if there was nothing to revoke (RFC 7009, 2.2). */
export const revoked = z.object({})

/** Error codes of the endpoints for clients (RFC 6749, 5.2; RFC 7591, 3.2.2; RFC 8707, 2). */
export const oauthErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_target',
  'invalid_client_metadata',
  'invalid_redirect_uri',
  'unsupported_grant_type',
  'unsupported_response_type',
  'temporarily_unavailable',
  'server_error',
] as const
export type OauthError = (typeof oauthErrors)[number]

/** Answer of `GET /.well-known/oauth-protected-resource` (RFC 9728, 3.2). */
export const protectedResource = z.object({
  resource: url,
  resource_name: z.literal('Farebox'),
  authorization_servers: z.array(url).length(1),
  bearer_methods_supported: only('header'),
  scopes_supported: only(OAUTH_SCOPE),
  resource_documentation: url,
})

/** Answer of `GET /.well-known/oauth-authorization-server` (RFC 8414, 3.2; RFC 9207, 3). */
export const authorizationServer = z.object({
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  registration_endpoint: url,
  revocation_endpoint: url,
  scopes_supported: only(OAUTH_SCOPE),
  response_types_supported: only('code'),
  response_modes_supported: only('query'),
  grant_types_supported: only('authorization_code'),
  token_endpoint_auth_methods_supported: only('none'),
  revocation_endpoint_auth_methods_supported: only('none'),
  code_challenge_methods_supported: only('S256'),
  authorization_response_iss_parameter_supported: z.literal(true),
  service_documentation: url,
})
