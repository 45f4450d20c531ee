import { shownAuthorization } from '@farebox/wire/oauth'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { get, post, send } from '../../../test/kit/network/http.ts'
import { callTool, connectMcp } from '../../../test/kit/network/mcp-client.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import {
  codeFor,
  connectByOauth,
  consent,
  KeptAuth,
  oauthClient,
  postForm,
  readRequest,
  redeem,
  register as registerClient,
} from '../../../test/kit/world/oauth-client.ts'
import { arrive, ownerWith, type Person, register } from '../../../test/kit/world/world.ts'
import { pruneOauth } from './prune-oauth.ts'

const PRICE = '0.010000'
const CALLBACK = 'http://127.0.0.1:33418/callback'
const NO_CODE = { status: 400, body: { error: 'invalid_grant', code: 'INVALID_REQUEST' } }

let on: TestGateway
let other: TestGateway
let provider: TestProvider
let owner: Person

beforeAll(async () => {
  ;[on, provider] = await Promise.all([startTestGateway(), startProvider()])
  // Behind the same address, as balanced gateways are.
  other = await startTestGateway({ share: on, env: { PUBLIC_URL: on.url } })
  owner = await ownerWith(on, '10')
  const manifest = { agentToolName: 'echo' }
  await register(on, owner, { targets: [provider.url], priceUsdc: PRICE, manifest })
})
afterAll(async () => {
  await on.assertBooks()
  await other.stop()
  await Promise.all([on.stop(), provider.stop()])
})

const prune = () => pruneOauth({ ...on.gateway.deps, agents: { forget: () => undefined } })
const listed = async () =>
  (
    await get<{ credentials: { id: string; name: string; status: string }[] }>(
      on,
      '/credentials/agent/list?limit=100',
      { token: owner.token },
    )
  ).body.credentials
const errorOf = (error: string) => ({ status: 400, body: { code: 'INVALID_REQUEST', detail: { error } } })

/** A gateway that knew the token a moment ago refuses it in the answer, others before. */
async function expectShutOut(mcp: { listTools(): Promise<unknown> }): Promise<void> {
  const refusal = await mcp.listTools().catch((error: unknown) => error)
  const told = { data: { code: 'CREDENTIAL_INACTIVE' } }
  expect([401, -32_603]).toContain((refusal as { code?: number }).code)
  if (!(refusal instanceof Error && refusal.message.includes('401'))) expect(refusal).toMatchObject(told)
}

test('the MCP SDK client discovers the gateway, registers, is authorized, pays a call and is revoked', async () => {
  const auth = new KeptAuth(CALLBACK)
  const goOn = await connectByOauth(on, auth)
  expect(auth.wentTo?.origin).toBe(on.url)
  expect(auth.wentTo?.pathname).toBe('/connect')

  const request = Object.fromEntries(auth.wentTo?.searchParams ?? [])
  expect(request).toMatchObject({ resource: `${on.url}/mcp`, scope: 'calls', state: '1e3' })
  const given = await consent(on, owner, request, { creditLimit: '0.5', allowedServices: ['echo'] })
  const back = new URL(String(given.body.redirectTo))
  expect(back.href.startsWith(`${CALLBACK}?code=`)).toBe(true)
  expect(back.searchParams.get('state')).toBe('1e3')
  expect(back.searchParams.get('iss')).toBe(on.url)

  const client = await goOn(back.searchParams.get('code') ?? '')
  const result = await callTool(client, 'echo', { text: 'hello' })
  expect(result._meta).toMatchObject({
    'farebox/chargedUsdc': PRICE,
    'farebox/receipt': { credentialId: given.body.credentialId },
  })
  const minted = (await listed()).find(({ id }) => id === given.body.credentialId)
  expect(minted).toMatchObject({ name: 'SDK client', status: 'active' })

  const clientId = auth.clientInformation()?.client_id ?? ''
  const token = auth.tokens()?.access_token ?? ''
  const revoked = await postForm(on, '/oauth/revoke', {
    token,
    client_id: clientId,
    token_type_hint: 'access_token',
  })
  expect(revoked).toMatchObject({ status: 200, body: {} })
  await expect(client.listTools()).rejects.toThrow(UnauthorizedError)
  await client.close()
})

test('clients discover the endpoints by RFC 9728 and RFC 8414', async () => {
  const read = async (path: string) => (await send(on.url, `/.well-known/${path}`)).body
  expect(await read('oauth-protected-resource')).toMatchObject({
    resource: on.url,
    authorization_servers: [on.url],
  })
  expect(await read('oauth-protected-resource/mcp')).toMatchObject({
    resource: `${on.url}/mcp`,
    authorization_servers: [on.url],
    bearer_methods_supported: ['header'],
  })
  expect(await read('oauth-authorization-server')).toMatchObject({
    issuer: on.url,
    authorization_endpoint: `${on.url}/connect`,
    token_endpoint: `${on.url}/oauth/token`,
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
  })
})

describe('a registration', () => {
  test('creates a public client, whatever else it requests', async () => {
    const asked = {
      redirect_uris: [CALLBACK],
      grant_types: ['client_credentials', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'everything',
    }
    const { status, body, headers } = await registerClient(on, asked)
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toEqual({
      client_id: expect.stringMatching(/^oac_/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Unnamed client',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
  })

  test.each([
    ['no redirect URI', {}, 'invalid_redirect_uri'],
    ['an empty list', { redirect_uris: [] }, 'invalid_redirect_uri'],
    [
      'too many redirect URIs',
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `${CALLBACK}/${at}`) },
      'invalid_redirect_uri',
    ],
    ['one that is too long', { redirect_uris: [`${CALLBACK}/${'a'.repeat(512)}`] }, 'invalid_redirect_uri'],
    ['one without TLS', { redirect_uris: [CALLBACK, 'http://client.example/'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a long name', { redirect_uris: [CALLBACK], client_name: 'x'.repeat(81) }, 'invalid_client_metadata'],
    [
      'a name with a direction override',
      { redirect_uris: [CALLBACK], client_name: 'a\u202eb' },
      'invalid_client_metadata',
    ],
    [
      'a name of two scripts',
      { redirect_uris: [CALLBACK], client_name: 'Clаude' },
      'invalid_client_metadata',
    ],
    ['a list', [], 'invalid_client_metadata'],
  ])('with %s is rejected', async (_, asked, error) => {
    expect(await registerClient(on, asked)).toMatchObject({
      status: 400,
      body: { error, code: 'INVALID_REQUEST' },
    })
  })

  test('is rate limited per address, over all gateways', async () => {
    const share = { share: on, env: { CHALLENGES_PER_MINUTE: '10', SEARCHES_PER_MINUTE: '10' } }
    const [slow, slower] = [await startTestGateway(share), await startTestGateway(share)]
    const statuses: number[] = []
    for (let at = 0; at < 14; at += 1) {
      const { status, body } = await registerClient(at % 2 === 0 ? slow : slower, {
        redirect_uris: [CALLBACK],
      })
      statuses.push(status)
      if (status === 429)
        expect(body).toMatchObject({ code: 'RATE_LIMITED', error: 'temporarily_unavailable' })
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(201))
    expect(statuses.slice(12)).toEqual([429, 429])
    // A tenth of it more at each gateway: one.
    for (const path of ['token', 'revoke']) {
      const asked = await Promise.all(
        Array.from({ length: 130 }, () => postForm(slow, `/oauth/${path}`, { grant_type: 'none' })),
      )
      expect(asked.filter(({ status }) => status === 429).length, path).toBeGreaterThan(0)
    }
    const read = await Promise.all(Array.from({ length: 13 }, () => readRequest(slow, {})))
    expect(read.find(({ status }) => status === 429)).toMatchObject({ body: { code: 'RATE_LIMITED' } })
    await slow.stop()
    await slower.stop()
  })

  test('that no owner authorizes is evicted past 10,000, and deleted after a day', async () => {
    const [kept, first] = [await oauthClient(on), await oauthClient(on)]
    await codeFor(on, owner, kept)
    await on.sql(`
      insert into oauth_clients (id, name, redirect_uris, created_at)
      select 'oac_' || n, 'many', '{}', clock_timestamp() + n * interval '1 microsecond'
      from generate_series(1, 10000) n`)
    const last = await oauthClient(on)
    const count = async (where: string) =>
      Number((await on.sql<{ count: string }>(`select count(*) from oauth_clients where ${where}`))[0]?.count)
    // Each insertion makes room for some, so that the number falls to its bound.
    for (let at = 0; at < 10; at += 1) await oauthClient(on)
    expect(await count('authorized_at is null')).toBeLessThanOrEqual(10_000)
    expect(await readRequest(on, first.request)).toMatchObject(errorOf('invalid_client'))
    expect((await readRequest(on, last.request)).status).toBe(200)
    expect((await readRequest(on, kept.request)).status).toBe(200)

    await on.sql(`update oauth_clients set created_at = created_at - interval '24 hours 1 minute'`)
    for (let at = 0; at < 25; at += 1) await prune()
    expect(await count('authorized_at is null')).toBe(0)
    expect((await readRequest(on, kept.request)).status).toBe(200)
  })
})

describe('an authorization request', () => {
  test('shows the client name, its host and the redirect for a denial', async () => {
    const client = await oauthClient(on, 'https://client.example:8443/callback?tenant=1')
    const { status, body } = await readRequest(on, client.request)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      client: { id: client.id, name: 'Research desk' },
      redirectHost: 'client.example:8443',
      isLoopback: false,
      resource: `${on.url}/mcp`,
    })
    const denied = new URL(String(body.deniedUrl))
    expect(Object.fromEntries(denied.searchParams)).toEqual({
      tenant: '1',
      error: 'access_denied',
      state: client.request.state,
      iss: on.url,
    })
  })

  test('of a program with a scheme of its own leads back to it', async () => {
    const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback'
    // As Cursor registers itself.
    const client = await oauthClient(on, redirectUri, [
      'https://www.cursor.example/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ])
    expect((await readRequest(on, client.request)).body).toMatchObject({
      redirectHost: 'cursor://anysphere.cursor-mcp',
      isLoopback: true,
    })
    const { body } = await consent(on, owner, client.request)
    const code = new URL(String(body.redirectTo)).searchParams.get('code') ?? ''
    expect(String(body.redirectTo).startsWith(`${redirectUri}?code=`)).toBe(true)
    expect((await redeem(on, client, code)).status).toBe(200)
  })

  test('may have any `state` of 2,048 characters, which comes back in every redirect', async () => {
    const { request } = await oauthClient(on)
    const asked = { ...request, state: '"'.repeat(2_048) }
    const [shown, given] = [await readRequest(on, asked), await consent(on, owner, asked)]
    for (const to of [shown.body.deniedUrl, given.body.redirectTo]) {
      expect(shownAuthorization.shape.deniedUrl.parse(to)).toBe(to)
      expect(new URL(String(to)).searchParams.get('state')).toBe(asked.state)
    }
  })

  test('of an unknown client, or with another redirect URI, redirects nobody', async () => {
    const { request } = await oauthClient(on)
    const before = (await listed()).length
    for (const [wrong, error] of [
      [{ client_id: 'oac_none' }, 'invalid_client'],
      [{ client_id: '' }, 'invalid_client'],
      [{ redirect_uri: 'https://evil.example/callback' }, 'invalid_request'],
      [{ redirect_uri: 'https://client.example/callback/../other' }, 'invalid_request'],
      [{ redirect_uri: '' }, 'invalid_request'],
    ] as const) {
      for (const answer of [
        await readRequest(on, { ...request, ...wrong }),
        await consent(on, owner, { ...request, ...wrong }),
      ]) {
        expect(answer).toMatchObject(errorOf(error))
        expect(JSON.stringify(answer.body)).not.toContain('redirectTo')
      }
    }
    expect((await listed()).length).toBe(before)
  })

  test('of a client whose registration has ended says how to register again', async () => {
    const { request } = await oauthClient(on)
    const { body } = await readRequest(on, { ...request, client_id: 'oac_none' })
    // Programs store their registration: connecting again would send the same id.
    expect(body.message).toContain('Remove this gateway from the client and add it again')
  })

  test('that leads to the gateway itself redirects nobody, whenever the client was registered', async () => {
    const uri = `${on.url}/x402/echo`
    expect(await registerClient(on, { redirect_uris: [uri] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: `redirect_uris: ${uri} is at this gateway.` },
    })
    const { id, request } = await oauthClient(on)
    await on.sql(`update oauth_clients set redirect_uris = '{${uri}}' where id = '${id}'`)
    const asked = { ...request, redirect_uri: uri }
    for (const answer of [await readRequest(on, asked), await consent(on, owner, asked)]) {
      expect(answer).toMatchObject(errorOf('invalid_request'))
      expect(JSON.stringify(answer.body)).not.toContain('redirectTo')
    }
  })

  test.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['another challenge method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge method', { code_challenge_method: '' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('with %s is rejected, with a redirect to the client', async (_, wrong, error) => {
    const client = await oauthClient(on)
    const request = Object.fromEntries(
      Object.entries({ ...client.request, ...wrong }).filter(([, value]) => value !== ''),
    )
    const before = (await listed()).length
    for (const answer of [await readRequest(on, request), await consent(on, owner, request)]) {
      expect(answer).toMatchObject(errorOf(error))
      const { redirectTo } = answer.body.detail as { redirectTo: string }
      expect(redirectTo.startsWith(`${client.redirectUri}?error=${error}&`)).toBe(true)
      expect(new URL(redirectTo).searchParams.get('state')).toBe(client.request.state)
    }
    expect((await listed()).length).toBe(before)
  })

  test('needs the consent of a signed-in owner, who sets limits as for any credential', async () => {
    const { request } = await oauthClient(on)
    expect((await consent(on, { token: 'none' }, request)).status).toBe(401)
    const broke = await arrive(on)
    expect(await consent(on, broke, request)).toMatchObject({ body: { code: 'INSUFFICIENT_BALANCE' } })
    for (const [limits, code] of [
      [{ creditLimit: '100000' }, 'LIMIT_EXCEEDED'],
      [{ allowedServices: ['nothing-here'] }, 'INVALID_PAYLOAD'],
      [{ creditLimt: '1' }, 'INVALID_REQUEST'],
      [{ creditLimit: 'much' }, 'INVALID_PAYLOAD'],
    ] as const) {
      expect(await consent(on, owner, request, limits)).toMatchObject({ body: { code } })
    }
    expect(
      await post(on, '/oauth/authorization', {
        token: owner.token,
        body: { request, credential: {}, more: 1 },
      }),
    ).toMatchObject({
      body: { code: 'INVALID_REQUEST' },
    })
  })

  test('may name another port of the same loopback address', async () => {
    const client = await oauthClient(on, 'http://127.0.0.1/callback')
    const asked = { ...client, redirectUri: CALLBACK, request: { ...client.request, redirect_uri: CALLBACK } }
    const code = await codeFor(on, owner, asked)
    expect(await redeem(on, client, code)).toMatchObject(NO_CODE)
    expect((await redeem(on, asked, code)).status).toBe(200)
  })
})

describe('a code', () => {
  test('is redeemed once, at any gateway, for a token that lives as long as the credential', async () => {
    const client = await oauthClient(on)
    const code = await codeFor(on, owner, client, { creditLimit: '1', expiresInSec: 3_600 })
    const answers = await Promise.all(
      [on, other, on, other].map(gateway => redeem(gateway, client, code, { resource: `${on.url}/mcp` })),
    )
    const [good, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    expect(good?.body).toEqual({
      access_token: expect.stringMatching(/^agt_/),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: 'calls',
    })
    expect(good?.headers['cache-control']).toBe('no-store')
    expect(good?.body.expires_in).toBeGreaterThan(3_500)
    expect(good?.body.expires_in).toBeLessThanOrEqual(3_600)
    for (const refused of answers.filter(({ status }) => status !== 200))
      expect(refused).toMatchObject(NO_CODE)
  })

  test('that is redeemed again with its verifier revokes the credential', async () => {
    const client = await oauthClient(on)
    const code = await codeFor(on, owner, client)
    const { body } = await redeem(on, client, code)
    const token = String(body.access_token)
    const mcp = await connectMcp(on, { token })
    expect(await redeem(on, client, code, { code_verifier: 'x'.repeat(43) })).toMatchObject(NO_CODE)
    await mcp.listTools()
    expect(await redeem(other, client, code)).toMatchObject(NO_CODE)
    await expectShutOut(mcp)
    expect(await redeem(other, client, code)).toMatchObject(NO_CODE)
    await mcp.close()
  })

  test('is rejected for another client, redirect URI, verifier or resource', async () => {
    const [client, stranger] = [await oauthClient(on), await oauthClient(on)]
    const code = await codeFor(on, owner, client)
    for (const wrong of [
      { client_id: stranger.id },
      { redirect_uri: `${client.redirectUri}/` },
      { code_verifier: stranger.verifier },
      { code_verifier: client.request.code_challenge ?? '' },
      { code: `${code}0` },
    ]) {
      expect(await redeem(on, client, code, wrong), JSON.stringify(wrong)).toMatchObject(NO_CODE)
    }
    expect(await redeem(on, client, code, { resource: on.url })).toMatchObject({
      body: { error: 'invalid_target' },
    })
    expect((await redeem(on, client, code)).status).toBe(200)
  })

  test('expires after a minute, and its unclaimed credential is deleted', async () => {
    const client = await oauthClient(on)
    const { body } = await consent(on, owner, client.request)
    const code = new URL(String(body.redirectTo)).searchParams.get('code') ?? ''
    await on.sql(
      `update oauth_grants set code_expires_at = code_expires_at - interval '61 seconds' where credential_id = $1`,
      [body.credentialId],
    )
    expect(await redeem(on, client, code)).toMatchObject(NO_CODE)
    const isListed = async () => (await listed()).some(({ id }) => id === body.credentialId)
    await prune()
    expect(await isListed()).toBe(true)
    await on.sql(
      `update oauth_grants set code_expires_at = code_expires_at - interval '10 minutes' where credential_id = $1`,
      [body.credentialId],
    )
    await prune()
    expect(await isListed()).toBe(false)
    expect(await redeem(on, client, code)).toMatchObject(NO_CODE)
  })

  test('that expires leaves a credential whose owner has rotated it by hand, and uses it', async () => {
    const client = await oauthClient(on)
    const { body } = await consent(on, owner, client.request)
    const rotated = await post<{ token: string }>(on, `/credentials/agent/${body.credentialId}/rotate`, {
      token: owner.token,
      body: {},
    })
    await on.sql(
      `update oauth_grants set code_expires_at = code_expires_at - interval '12 minutes' where credential_id = $1`,
      [body.credentialId],
    )
    await prune()
    const models = await fetch(`${on.url}/v1/models`, {
      headers: { authorization: `Bearer ${rotated.body.token}` },
    })
    expect(models.status).toBe(200)
    const code = new URL(String(body.redirectTo)).searchParams.get('code') ?? ''
    expect(await redeem(on, client, code)).toMatchObject(NO_CODE)
  })

  test('is rejected once the owner has revoked its credential', async () => {
    const client = await oauthClient(on)
    const { body } = await consent(on, owner, client.request)
    await post(on, `/credentials/agent/${body.credentialId}/revoke`, { token: owner.token, body: {} })
    const code = new URL(String(body.redirectTo)).searchParams.get('code') ?? ''
    expect(await redeem(on, client, code)).toMatchObject(NO_CODE)
  })

  test.each([
    [
      'another grant type',
      'grant_type=refresh_token&code=a&redirect_uri=b&client_id=c&code_verifier=d',
      'unsupported_grant_type',
    ],
    ['a refresh token', 'grant_type=refresh_token&refresh_token=a&client_id=c', 'unsupported_grant_type'],
    [
      'a duplicate member',
      'grant_type=authorization_code&code=a&code=b&redirect_uri=b&client_id=c&code_verifier=d',
      'invalid_request',
    ],
    [
      'a missing member',
      'grant_type=authorization_code&code=a&redirect_uri=b&client_id=c',
      'invalid_request',
    ],
    ['nothing', '', 'invalid_request'],
  ])('with %s is rejected with the error of OAuth', async (_, form, error) => {
    const refused = await postForm(on, '/oauth/token', form)
    expect(refused).toMatchObject({
      status: 400,
      body: { error, error_description: expect.any(String), code: 'INVALID_REQUEST' },
    })
  })

  test('with too many members is rejected for their number', async () => {
    const { body } = await postForm(on, '/oauth/token', 'a&'.repeat(51))
    expect(body.error_description).toBe('body: Send at most 50 members.')
  })
})

test('a form of more than 8 KiB is rejected by its size, before it is parsed', async () => {
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const body = { error: 'invalid_request', code: 'PAYLOAD_TOO_LARGE', detail: { limitBytes: 8_192 } }
    expect(await postForm(on, path, 'a'.repeat(8_193))).toMatchObject({ status: 413, body })
    expect(await postForm(on, path, 'a'.repeat(8_192))).toMatchObject({ status: 400 })
  }
})

test('a token can be revoked by its own client only, at every gateway', async () => {
  const [client, stranger] = [await oauthClient(on), await oauthClient(on)]
  const { body } = await redeem(on, client, await codeFor(on, owner, client))
  const token = String(body.access_token)
  const mcp = await connectMcp(on, { token })
  for (const form of [
    { token, client_id: stranger.id },
    { token: 'agt_none', client_id: client.id },
  ]) {
    expect(await postForm(other, '/oauth/revoke', form)).toMatchObject({ status: 200, body: {} })
  }
  await mcp.listTools()
  expect(await postForm(other, '/oauth/revoke', { token })).toMatchObject({
    status: 400,
    body: { error: 'invalid_request' },
  })
  expect(await postForm(other, '/oauth/revoke', { token, client_id: client.id })).toMatchObject({
    status: 200,
  })
  await expectShutOut(mcp)
  await mcp.close()
})

describe('the audit log of a credential', () => {
  const trailOf = async (id: unknown) => {
    const path = '/credentials/agent/audit-logs?limit=100'
    const { body } = await get<{ logs: { action: string; credentialId: string; detail: object }[] }>(
      on,
      path,
      {
        token: owner.token,
      },
    )
    return body.logs
      .filter(({ credentialId }) => credentialId === id)
      .map(({ action, detail }) => ({ action, detail }))
      .toReversed()
  }

  test('names the client that it was minted for, that got its token and that revoked it', async () => {
    const client = await oauthClient(on)
    const { body } = await consent(on, owner, client.request)
    const code = new URL(String(body.redirectTo)).searchParams.get('code') ?? ''
    const token = String((await redeem(on, client, code)).body.access_token)
    await postForm(on, '/oauth/revoke', { token, client_id: client.id })
    expect(await trailOf(body.credentialId)).toEqual([
      {
        action: 'issued',
        detail: {
          after: expect.objectContaining({ creditLimit: '1.000000' }),
          client: { id: client.id, name: 'Research desk', redirectUri: client.redirectUri },
        },
      },
      { action: 'rotated', detail: { overlapSeconds: 0, client: { id: client.id } } },
      { action: 'revoked', detail: { client: { id: client.id } } },
    ])
  })

  test('says that a code was used twice', async () => {
    const client = await oauthClient(on)
    const { body } = await consent(on, owner, client.request)
    const code = new URL(String(body.redirectTo)).searchParams.get('code') ?? ''
    await redeem(on, client, code)
    await redeem(on, client, code)
    expect((await trailOf(body.credentialId)).at(-1)).toEqual({
      action: 'revoked',
      detail: { client: { id: client.id }, reason: 'code_reused' },
    })
  })
})

test('a suspended owner cannot authorize a client, and calls of an authorized one name the suspension', async () => {
  const barred = await ownerWith(on, '1')
  const [client, next] = [await oauthClient(on), await oauthClient(on)]
  const code = await codeFor(on, barred, client)
  await on.sql('update wallets set suspended_at = now() where address = $1', [
    barred.account.address.toLowerCase(),
  ])
  expect(await consent(on, barred, next.request)).toMatchObject({
    status: 403,
    body: { code: 'WALLET_SUSPENDED' },
  })
  const { body } = await redeem(on, client, code)
  const refused = await connectMcp(on, { token: String(body.access_token) }).catch((error: unknown) => error)
  expect(String(refused)).toContain('This wallet is suspended')
})
