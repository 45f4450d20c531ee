import { authorizationServer, OAUTH_SCOPE, protectedResource } from '@farebox/wire/oauth'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import * as examples from './examples.ts'
import { RESOURCE_PATH } from './rules.ts'

const common = { tag: 'Authentication', access: 'public' } as const

/**
 * Registers the discovery documents for clients without a credential: of the resource (RFC 9728) and of the
 * authorization server (RFC 8414), which is this gateway.
 */
export function oauthMetadataRoutes(app: App, { publicUrl }: { readonly publicUrl: string }): void {
  const resourceAt = (path: string) => ({
    resource: publicUrl + path,
    resource_name: 'Farebox',
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: [OAUTH_SCOPE],
    resource_documentation: `${publicUrl}/docs`,
  })
  const resource = {
    ...common,
    answer: protectedResource,
    example: examples.protectedResource,
    description: 'OAuth 2.0 protected resource metadata (RFC 9728).',
  } as const

  app.get(
    '/.well-known/oauth-protected-resource',
    contract({
      ...resource,
      id: 'readProtectedResource',
      summary: 'Find the authorization server of this gateway',
    }),
    () => resourceAt(''),
  )

  app.get(
    `/.well-known/oauth-protected-resource${RESOURCE_PATH}`,
    contract({ ...resource, id: 'readProtectedMcp', summary: 'Find the authorization server of /mcp' }),
    () => resourceAt(RESOURCE_PATH),
  )

  app.get(
    '/.well-known/oauth-authorization-server',
    contract({
      ...common,
      id: 'readAuthorizationServer',
      summary: 'Read the metadata of the authorization server',
      description:
        'OAuth 2.0 authorization server metadata (RFC 8414). Owners consent at `authorization_endpoint`, a page of the console.',
      answer: authorizationServer,
      example: examples.authorizationServer,
    }),
    () => ({
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/connect`,
      token_endpoint: `${publicUrl}/oauth/token`,
      registration_endpoint: `${publicUrl}/oauth/register`,
      revocation_endpoint: `${publicUrl}/oauth/revoke`,
      scopes_supported: [OAUTH_SCOPE],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${publicUrl}/docs`,
    }),
  )
}
