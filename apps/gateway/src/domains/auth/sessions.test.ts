import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { MeAnswer } from '@farebox/wire/profiles'
import { type JWTPayload, SignJWT } from 'jose'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { type PartialGateway, startPartialGateway } from '../../../test/kit/gateway/partial-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { newWallet, sessionFor, signIn } from '../../../test/kit/world/wallets.ts'
import type { Db } from '../../ports.ts'
import { markProvider } from './mark-provider.ts'
import { purgeExpired } from './purge-expired.ts'
import { adminGuard } from './require-admin.ts'
import { authenticateOwner, optionalOwnerGuard, ownerOf } from './require-owner.ts'

const DAY_MS = 86_400_000
const admin = newWallet()
const wallet = newWallet()

let chain: TestChain
let gateway: PartialGateway
let token: string

beforeAll(async () => {
  chain = await startTestChain()
  gateway = await startPartialGateway({
    chain: chain.adapter,
    env: { ADMIN_WALLETS: `0x${'1'.repeat(40)}, 0x${admin.address.slice(2).toUpperCase()}` },
    routes(app, deps) {
      app.get('/admin-only', { onRequest: adminGuard(deps) }, async () => ({ ok: true }))
      app.get('/for-anybody', { onRequest: optionalOwnerGuard(deps) }, async request => ({
        wallet: request.owner?.wallet ?? null,
      }))
      app.get('/guard-forgotten', async request => ownerOf(request))
    },
  })
  token = await signIn(gateway.url, wallet)
})
afterAll(async () => {
  await gateway?.stop()
  await chain?.stop()
})

const me = (headers: Record<string, string>) => send<MeAnswer>(gateway.url, '/api/v1/auth/me', { headers })
const meWith = (session: string) => me({ authorization: `Bearer ${session}` })
const logOut = (session: string) =>
  send(gateway.url, '/api/v1/auth/logout', { method: 'POST', token: session })

test('GET /auth/me returns the profile under both names', async () => {
  const { status, body } = await meWith(token)
  const profile = {
    wallet_address: wallet.address,
    walletAddress: wallet.address,
    ownerAddress: wallet.address,
    username: `${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}`,
    email: null,
    emailVerified: false,
    pendingEmail: null,
    emailVerificationStatus: 'none',
    emailVerificationSendsRemaining: 5,
    notifications: true,
    roles: ['owner'],
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  }
  expect(status).toBe(200)
  expect(body).toEqual({ ...profile, profile })
})

test('a wallet becomes a provider permanently', async () => {
  const provider = newWallet()
  const session = await signIn(gateway.url, provider)
  for (const _ of [1, 2]) {
    await gateway.deps.db.transaction(tx =>
      markProvider(tx, provider.address.toLowerCase() as typeof provider.address),
    )
    expect((await meWith(session)).body.roles).toEqual(['owner', 'provider'])
  }
})

test('admins are the configured wallets, in any case, and nobody else', async () => {
  const session = await signIn(gateway.url, admin)
  expect((await meWith(session)).body.roles).toEqual(['owner', 'admin'])
  expect((await send(gateway.url, '/api/v1/admin-only', { token: session })).status).toBe(200)

  const refused = await send(gateway.url, '/api/v1/admin-only', { token })
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN'])
  const stranger = await send(gateway.url, '/api/v1/admin-only')
  expect([stranger.status, stranger.body.code]).toEqual([401, 'UNAUTHORIZED'])
})

test('accepts the token in every form of the header', async () => {
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`]) {
    expect((await me({ authorization })).status).toBe(200)
  }
})

test('an agent credential is UNAUTHORIZED, and named as one', async () => {
  const headers = { authorization: `Bearer agt_${'0'.repeat(49)}` }
  const answer = await fetch(`${gateway.url}/api/v1/auth/me`, { headers })
  expect([answer.status, await answer.json()]).toMatchObject([
    401,
    { code: 'UNAUTHORIZED', message: expect.stringContaining('This is an agent credential.') },
  ])
})

test('an invalid session token is UNAUTHORIZED, with a WWW-Authenticate header', async () => {
  const agentToken = gateway.deps.ids.token('agt')
  const providerSecret = gateway.deps.ids.token('psk')
  const headers: Record<string, string>[] = [
    {},
    { authorization: '' },
    { authorization: token },
    { authorization: `Basic ${token}` },
    { authorization: `Bearer ${token} ${token}` },
    { authorization: `Bearer ${token}x` },
    { authorization: `Bearer ${token.slice(0, -2)}` },
    { authorization: `Bearer .${token}` },
    { authorization: 'Bearer a.b.c' },
    { authorization: `Bearer ${'a'.repeat(3_000)}.b.c` },
    { authorization: `Bearer ${agentToken}` },
    { authorization: `Bearer ${providerSecret}` },
    { 'x-credential': token },
    { cookie: `token=${token}` },
  ]
  for (const header of headers) {
    const answer = await me(header)
    expect([header, answer.status, answer.body]).toMatchObject([header, 401, { code: 'UNAUTHORIZED' }])
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  }
})

test('the token is refused before the body is parsed', async () => {
  const answer = await send(gateway.url, '/api/v1/auth/logout', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'not even JSON',
  })
  expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED'])
})

test('a signed token with a claim of another type is UNAUTHORIZED', async () => {
  const { config, clock } = gateway.deps
  const now = Math.floor(clock.now() / 1_000)
  const claims = {
    iss: 'farebox',
    aud: 'farebox:owner',
    sub: wallet.address,
    jti: 'odd',
    iat: now,
    exp: now + 600,
  }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (payload: object) => {
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`
    return `${text}.${createHmac('sha256', Buffer.from(config.JWT_SECRET ?? ''))
      .update(text)
      .digest('base64url')}`
  }
  expect((await meWith(signed(claims))).status).toBe(200)
  const odd: unknown[] = [
    null,
    true,
    1,
    1e300,
    '',
    'x',
    [],
    [wallet.address],
    [[wallet.address]],
    {},
    { length: 42 },
  ]
  for (const name of Object.keys(claims)) {
    for (const value of odd) {
      const isTrue = name === 'jti' ? typeof value === 'string' : name === 'iat' && typeof value === 'number'
      const answer = await meWith(signed({ ...claims, [name]: value }))
      expect([name, value, answer.status]).toEqual([name, value, isTrue ? 200 : 401])
    }
  }
})

test('a forged token is UNAUTHORIZED, whatever its claims', async () => {
  const { config, clock } = gateway.deps
  const secret = Buffer.from(config.JWT_SECRET ?? '')
  const now = Math.floor(clock.now() / 1_000)
  const claims = {
    iss: 'farebox',
    aud: 'farebox:owner',
    sub: wallet.address,
    jti: 'forged',
    iat: now,
    exp: now + 600,
  }
  const signed = (payload: JWTPayload, alg = 'HS256', key: Uint8Array = secret) =>
    new SignJWT(payload).setProtectedHeader({ alg, typ: 'JWT' }).sign(key)
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const byHand = (header: object, key: Uint8Array | null) => {
    const text = `${part(header)}.${part(claims)}`
    return `${text}.${key === null ? '' : createHmac('sha256', key).update(text).digest('base64url')}`
  }
  // Keys for an attack that works if the token's header chooses the algorithm.
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const publicPem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))

  expect((await meWith(await signed(claims))).status).toBe(200)

  const { exp: _exp, ...endless } = claims
  const { jti: _jti, ...nameless } = claims
  const forged = {
    'no algorithm': byHand({ alg: 'none', typ: 'JWT' }, null),
    'no algorithm, other case': byHand({ alg: 'NonE' }, null),
    'no algorithm, real signature': byHand({ alg: 'none' }, secret),
    'a signature cut off': `${(await signed(claims)).split('.').slice(0, 2).join('.')}.`,
    'HMAC with a public key': byHand({ alg: 'HS256' }, publicPem),
    'RSA announced, HMAC made': byHand({ alg: 'RS256' }, secret),
    'RSA by a key of their own': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256' })
      .sign(privateKey),
    'a key in the header': byHand({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } }, Buffer.alloc(3)),
    'another HMAC': await signed(claims, 'HS512', Buffer.concat([secret, secret])),
    'another secret': await signed(claims, 'HS256', Buffer.from('x'.repeat(40))),
    'an empty secret': byHand({ alg: 'HS256' }, Buffer.alloc(0)),
    'a critical header we do not know': byHand({ alg: 'HS256', crit: ['x'], x: 1 }, secret),
    'another issuer': await signed({ ...claims, iss: 'farebux' }),
    'another audience': await signed({ ...claims, aud: 'farebox' }),
    'no end': await signed(endless),
    'no jti': await signed(nameless),
    'an end in the past': await signed({ ...claims, exp: now }),
    'a start in the future': await signed({ ...claims, nbf: now + 60 }),
    'a subject that is no wallet': await signed({ ...claims, sub: 'admin' }),
    'a wallet that never signed in': await signed({ ...claims, sub: newWallet().address }),
  }
  for (const [what, session] of Object.entries(forged)) {
    const answer = await meWith(session)
    expect([what, answer.status, answer.body]).toMatchObject([what, 401, { code: 'UNAUTHORIZED' }])
  }
})

test('logout ends this session and no other', async () => {
  const [first, second] = [await signIn(gateway.url, wallet), await signIn(gateway.url, wallet)]
  const answer = await logOut(first)
  expect([answer.status, answer.body]).toEqual([200, { status: 'success', success: true }])
  expect((await meWith(first)).status).toBe(401)
  expect((await logOut(first)).status).toBe(401)
  expect((await meWith(second)).status).toBe(200)
})

test('a suspended wallet gets WALLET_SUSPENDED on every owner route', async () => {
  const suspended = newWallet()
  const session = await sessionFor(gateway.deps, suspended.address)
  expect((await meWith(session)).status).toBe(200)
  await gateway.deps.db.query(
    sql`update wallets set suspended_at = now() where address = ${suspended.address.toLowerCase()}`,
  )
  const answer = await meWith(session)
  expect([answer.status, answer.body]).toMatchObject([403, { code: 'WALLET_SUSPENDED' }])
})

test('treats an invalid token as no token where a session is optional', async () => {
  const walletOf = async (authorization: string) =>
    (await send(gateway.url, '/api/v1/for-anybody', { headers: { authorization } })).body
  const loggedOut = await sessionFor(gateway.deps, wallet.address)
  const headers = { authorization: `Bearer ${loggedOut}` }
  expect((await send(gateway.url, '/api/v1/auth/logout', { method: 'POST', headers })).status).toBe(200)

  expect((await send(gateway.url, '/api/v1/for-anybody')).body).toEqual({ wallet: null })
  expect(await walletOf(`Bearer ${token}`)).toEqual({ wallet: wallet.address.toLowerCase() })
  const invalid = [loggedOut, `${token.slice(0, -4)}AAAA`, gateway.deps.ids.token('agt'), 'a.b.c', '']
  for (const text of invalid) expect(await walletOf(`Bearer ${text}`)).toEqual({ wallet: null })
})

test('a handler that reads the owner without a guard fails, without details', async () => {
  const answer = await send(gateway.url, '/api/v1/guard-forgotten')
  expect([answer.status, answer.body.code]).toEqual([500, 'INTERNAL'])
})

test('a session costs one round trip to the database', async () => {
  const sent: string[] = []
  const { db, config, clock } = gateway.deps
  const counting: Db = {
    transaction: work => db.transaction(work),
    query(statement) {
      sent.push(statement.text)
      return db.query(statement)
    },
  }
  const owner = await authenticateOwner({ db: counting, config, clock }, `Bearer ${token}`)
  expect(owner.wallet).toBe(wallet.address.toLowerCase())
  expect(sent).toHaveLength(1)
})

// Advances the gateway's clock, so this comes last.

test('a session ends after 24 hours, and its revocation is then forgotten', async () => {
  await logOut(await signIn(gateway.url, wallet))
  const session = await signIn(gateway.url, wallet)
  gateway.advance(DAY_MS - 5_000)
  expect((await meWith(session)).status).toBe(200)
  expect((await purgeExpired(gateway.deps)).revocations).toBe(0)
  gateway.advance(5_000)
  const answer = await meWith(session)
  expect([answer.status, answer.body]).toMatchObject([401, { code: 'UNAUTHORIZED' }])
  expect((await purgeExpired(gateway.deps)).revocations).toBeGreaterThan(0)
})
