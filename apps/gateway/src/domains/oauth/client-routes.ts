import type { GatewayError } from '@farebox/wire/errors'
import {
  issuedToken,
  type OauthError,
  oauthErrors,
  registerClientBody,
  registeredClient,
  revokeBody,
  revoked,
  tokenBody,
} from '@farebox/wire/oauth'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { App } from '../../app.ts'
import { asGatewayError, logFailure, retryHeaders } from '../../http/errors.ts'
import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import { type Contract, contract, errorBody } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import type { AgentGuard } from '../credentials/require-agent.ts'
import * as examples from './examples.ts'
import { oauthFault } from './oauth-fault.ts'
import { redeemCode } from './redeem-code.ts'
import { registerClient } from './register-client.ts'
import { revokeToken } from './revoke-token.ts'
import { asDescription } from './rules.ts'

const WINDOW_SECONDS = 60
/** Ratio of the limits on tokens and registrations: a client registers once. */
const TOKENS_PER_REGISTRATION = 10
const FORM = 'application/x-www-form-urlencoded'
/** Maximum size of a form, in bytes: each of its members has at most 512 characters. */
const FORM_BYTES_MAX = 8_192
/** Maximum number of members of a form, unknown ones included. */
const FORM_MEMBERS_MAX = 50

const common = {
  tag: 'Authentication',
  access: 'public',
  invalidBodyCode: 'INVALID_REQUEST',
  errors: ['RATE_LIMITED'],
  errorAnswer: errorBody([
    'INVALID_REQUEST',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'RATE_LIMITED',
    'INTERNAL',
    'UNAVAILABLE',
  ]).extend({
    error: z.enum(oauthErrors),
    error_description: z
      .string()
      .max(4_096)
      .regex(/^[\x20-\x7e]*$/),
  }),
} as const satisfies Partial<Contract>

type ClientRouteDeps = Deps & { readonly agents: AgentGuard }

/**
 * Registers the endpoints for OAuth clients: registration, token and revocation. Their errors have the format of OAuth
 * (`error`, `error_description`), plus the gateway's own members.
 */
export async function oauthClientRoutes(app: App, deps: ClientRouteDeps): Promise<void> {
  app.addContentTypeParser<string>(FORM, { parseAs: 'string' }, async (_: unknown, body: string) =>
    readForm(body),
  )
  app.setErrorHandler((thrown, request, reply) => {
    const error = asGatewayError(thrown, request)
    logFailure(deps.log, error, request.id)
    return sendOauthError(reply, error, request.id)
  })
  registration(app, deps)
  tokens(app, deps)
}

/** Returns a hook that limits the requests of a client address, over all gateways. */
function limited(deps: ClientRouteDeps, name: string, quota: number) {
  return limitPublic(deps, { name, quota, windowSeconds: WINDOW_SECONDS })
}

function registration(app: App, deps: ClientRouteDeps): void {
  app.post(
    '/oauth/register',
    {
      ...contract({
        ...common,
        id: 'registerOauthClient',
        summary: 'Register an OAuth client',
        description:
          'Dynamic client registration (RFC 7591). Clients are public: they have no secret and prove themselves by PKCE. A registration without the consent of an owner is deleted after a day.',
        body: registerClientBody,
        answer: registeredClient,
        answerStatus: 201,
        example: examples.registered,
        exampleBody: examples.registerBody,
      }),
      onRequest: limited(deps, 'registrations', deps.config.CHALLENGES_PER_MINUTE),
    },
    async (request, reply) => {
      const { id, name, redirectUris, createdAt } = await registerClient(deps, request.body)
      reply.code(201)
      return {
        client_id: id,
        client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }
    },
  )
}

function tokens(app: App, deps: ClientRouteDeps): void {
  const quota = deps.config.CHALLENGES_PER_MINUTE * TOKENS_PER_REGISTRATION
  const bodyLimit = Math.min(deps.config.REQUEST_BYTES_MAX, FORM_BYTES_MAX)

  app.post(
    '/oauth/token',
    {
      ...contract({
        ...common,
        id: 'redeemOauthCode',
        summary: 'Exchange an authorization code for a token',
        description:
          'The token is that of the credential that the owner minted for the client; it works wherever a credential does. There are no refresh tokens: when it expires, request a new authorization.',
        body: tokenBody,
        bodyType: FORM,
        answer: issuedToken,
        example: examples.token,
        exampleBody: examples.tokenBody,
      }),
      bodyLimit,
      onRequest: limited(deps, 'tokens', quota),
    },
    async request => {
      // First, as requests of other types have other members.
      const { grant_type: type } = readBody(tokenBody.pick({ grant_type: true }), request.body)
      if (type !== 'authorization_code')
        throw oauthFault('unsupported_grant_type', 'grant_type: Must be authorization_code.')
      return redeemCode(deps, readBody(tokenBody, request.body))
    },
  )

  app.post(
    '/oauth/revoke',
    {
      ...contract({
        ...common,
        id: 'revokeOauthToken',
        summary: 'Revoke a token that was minted for this client',
        description:
          'Revokes its credential (RFC 7009). The answer is the same when there was nothing to revoke.',
        body: revokeBody,
        bodyType: FORM,
        answer: revoked,
        example: {},
        exampleBody: examples.revokeBody,
      }),
      bodyLimit,
      onRequest: limited(deps, 'revocations', quota),
    },
    async request => {
      const { token, client_id: clientId } = readBody(revokeBody, request.body)
      await revokeToken(deps, { token, clientId })
      return {}
    },
  )
}

/**
 * Returns the members of a form. A repeated member becomes a list, which no schema accepts (RFC 6749, 3.2).
 *
 * @throws GatewayError INVALID_REQUEST beyond {@link FORM_MEMBERS_MAX} members
 */
function readForm(text: string): Record<string, string | string[]> {
  const form = new URLSearchParams(text)
  if (form.size > FORM_MEMBERS_MAX) {
    throw oauthFault('invalid_request', `body: Send at most ${FORM_MEMBERS_MAX} members.`)
  }
  const members = new Map<string, string | string[]>()
  for (const [name, value] of form) {
    const known = members.get(name)
    members.set(name, known === undefined ? value : [known, value].flat())
  }
  return Object.fromEntries(members)
}

function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw oauthFault(
    'invalid_request',
    `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is not valid'}`,
  )
}

function sendOauthError(reply: FastifyReply, error: GatewayError, requestId: string): FastifyReply {
  reply.request.errorCode = error.code
  return reply
    .code(error.status)
    .headers(retryHeaders(error.context))
    .header('content-type', 'application/json; charset=utf-8')
    .send({
      error: nameOf(error),
      error_description: asDescription(error.message),
      ...error.toBody(requestId),
    })
}

function nameOf({ code, context }: GatewayError): OauthError {
  const own = oauthErrors.find(name => name === context.error)
  if (own !== undefined) return own
  if (code === 'RATE_LIMITED' || code === 'UNAVAILABLE') return 'temporarily_unavailable'
  return code === 'INTERNAL' ? 'server_error' : 'invalid_request'
}
