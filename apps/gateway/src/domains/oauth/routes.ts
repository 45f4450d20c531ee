import { authorizationQuery, authorizeBody, authorized, shownAuthorization } from '@farebox/wire/oauth'
import { receiverOf } from '@farebox/wire/receiver'
import type { App } from '../../app.ts'
import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import type { ServiceNames } from '../credentials/allowed-services.ts'
import { authorizeClient } from './authorize-client.ts'
import * as examples from './examples.ts'
import { readAuthorization } from './read-authorization.ts'
import { isOfProgram } from './rules.ts'

const PATH = '/oauth/authorization'
const WINDOW_SECONDS = 60

/** Registers the routes for the console's consent page, below `/api/v1`. */
export function oauthRoutes(app: App, deps: Deps & { readonly services: ServiceNames }): void {
  const policy = {
    name: 'authorizations',
    quota: deps.config.SEARCHES_PER_MINUTE,
    windowSeconds: WINDOW_SECONDS,
  }

  app.get(
    PATH,
    {
      ...contract(
        {
          id: 'readAuthorization',
          summary: 'Read the authorization request of an OAuth client',
          description:
            'Takes an authorization request (RFC 6749, RFC 7636, RFC 8707). An invalid one is INVALID_REQUEST with `error`, and with `redirectTo` if the client may receive the error.',
          tag: 'Authentication',
          access: 'public',
          errors: ['RATE_LIMITED'],
          answer: shownAuthorization,
          example: examples.authorization,
        },
        { querystring: authorizationQuery },
      ),
      onRequest: limitPublic(deps, policy),
    },
    async request => {
      const { client, redirectUri, resource, redirectTo } = await readAuthorization(deps, request.query)
      return {
        status: 'success',
        client: { id: client.id, name: client.name, registeredAt: client.createdAt.toISOString() },
        redirectHost: receiverOf(redirectUri),
        isLoopback: isOfProgram(redirectUri),
        resource,
        deniedUrl: redirectTo({ error: 'access_denied' }),
      }
    },
  )

  app.post(
    PATH,
    {
      ...contract(
        {
          id: 'authorizeClient',
          summary: 'Authorize an OAuth client',
          description:
            'Mints a credential for the client, with limits as in `POST /credentials/agent/issue`. The client exchanges the code in `redirectTo` for its token; the code works once, within a minute.',
          tag: 'Authentication',
          access: 'wallet',
          errors: ['INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED'],
          answer: authorized,
          example: examples.authorized,
          exampleBody: examples.authorizeBody,
        },
        { body: authorizeBody },
      ),
      onRequest: ownerGuard(deps),
    },
    async request => {
      const given = await authorizeClient(deps, ownerOf(request).wallet, request.body)
      return { status: 'success', ...given }
    },
  )
}
