import { createHash, randomBytes } from 'node:crypto'
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { type Answer, get, post, send } from '../network/http.ts'
import type { Person } from './world.ts'

/** A registered client with the secret of one authorization request. */
export type OauthClient = {
  readonly id: string
  readonly redirectUri: string
  readonly verifier: string
  /** The authorization request, as it stands in the query of the consent page. */
  readonly request: Readonly<Record<string, string>>
}

type OnGateway = { readonly url: string }

/** Sends a form, as OAuth clients do. */
export async function postForm(
  on: OnGateway,
  path: string,
  form: Readonly<Record<string, string>> | string,
): Promise<Answer> {
  const answer = await fetch(on.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
  const headers = Object.fromEntries(answer.headers)
  return { status: answer.status, headers, body: (await answer.json()) as Record<string, unknown> }
}

/** Sends a registration. */
export function register(on: OnGateway, body: unknown): Promise<Answer> {
  return send(on.url, '/oauth/register', { method: 'POST', body })
}

/** Registers a client and makes an authorization request for it. */
export async function oauthClient(
  on: OnGateway,
  redirectUri = 'https://client.example/callback',
  moreUris: readonly string[] = [],
): Promise<OauthClient> {
  const redirectUris = [redirectUri, ...moreUris]
  const { status, body } = await register(on, { client_name: 'Research desk', redirect_uris: redirectUris })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const verifier = randomBytes(32).toString('base64url')
  const id = String(body.client_id)
  const request = {
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: randomBytes(8).toString('hex'),
    resource: `${on.url}/mcp`,
  }
  return { id, redirectUri, verifier, request }
}

/** Reads an authorization request, as the consent page does. */
export function readRequest(on: OnGateway, request: Readonly<Record<string, string>>): Promise<Answer> {
  return get(on, `/oauth/authorization?${new URLSearchParams(request)}`)
}

/** Consents to an authorization request, as the consent page does. */
export function consent(
  on: OnGateway,
  owner: Pick<Person, 'token'>,
  request: Readonly<Record<string, string>>,
  credential: Readonly<Record<string, unknown>> = { creditLimit: '1' },
): Promise<Answer> {
  return post(on, '/oauth/authorization', { token: owner.token, body: { request, credential } })
}

/** Consents and returns the code that the client gets. */
export async function codeFor(
  on: OnGateway,
  owner: Pick<Person, 'token'>,
  client: OauthClient,
  credential?: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { body } = await consent(on, owner, client.request, credential)
  const code = new URL(String(body.redirectTo)).searchParams.get('code')
  if (code === null) throw new Error(JSON.stringify(body))
  return code
}

/** Redeems a code, with other members in place of the right ones where they are given. */
export function redeem(
  on: OnGateway,
  client: OauthClient,
  code: string,
  other: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return postForm(on, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
    client_id: client.id,
    code_verifier: client.verifier,
    ...other,
  })
}

/** State of the MCP SDK's OAuth client; `wentTo` is the last URL that it opened in the browser. */
export class KeptAuth implements OAuthClientProvider {
  wentTo: URL | null = null
  readonly redirectUrl: string
  #information: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #verifier = ''

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'SDK client',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }

  /** A text that a careless program would take for a number. */
  state(): string {
    return '1e3'
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#information
  }

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.#information = information
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.wentTo = url
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }
}

/**
 * Connects the client of the MCP SDK without a token: it registers and sends the browser to the consent page.
 *
 * @returns goes on with the code, as the client does once the browser is back
 */
export async function connectByOauth(
  on: OnGateway,
  auth: KeptAuth,
): Promise<(code: string) => Promise<Client>> {
  const url = new URL('/mcp', on.url)
  const info = { name: 'test', version: '1.0.0' }
  const transport = new StreamableHTTPClientTransport(url, { authProvider: auth })
  const outcome: unknown = await new Client(info).connect(transport).catch((error: unknown) => error)
  if (!(outcome instanceof UnauthorizedError)) throw new Error('The client was let in.', { cause: outcome })
  return async code => {
    await transport.finishAuth(code)
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: auth }))
    return client
  }
}
