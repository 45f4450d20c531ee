import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { createIds } from '../../adapters/ids.ts'
import { readConfig } from '../../config.ts'
import { readSessionToken, SESSION_TTL_SECONDS, signSession } from './session-token.ts'

const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const CHECKSUMMED = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SECRET = 'a secret of at least thirty-two bytes'
const NOW_MS = 1_800_000_000_999
const NOW = 1_800_000_000

const config = { ...readConfig({ FAREBOX_MODE: 'dev' }), JWT_SECRET: SECRET }
const at = (ms: number) => ({
  config,
  clock: { now: () => ms, elapsed: () => ms, pause: async () => undefined },
  ids: { ...createIds(() => ms), nonce: (bytes: number) => 'ab'.repeat(bytes) },
})
const deps = at(NOW_MS)

const CLAIMS = { iss: 'farebox', aud: 'farebox:owner', sub: WALLET, jti: 'j', iat: NOW, exp: NOW + 60 }

/** Signs a token with these claims; by default with the gateway's secret and algorithm. */
function sign(claims: JWTPayload, options: { secret?: string; alg?: string } = {}): Promise<string> {
  const { secret = SECRET, alg = 'HS256' } = options
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(Buffer.from(secret))
}

test('a token states its subject, its audience and an expiry one day after it was issued', async () => {
  const token = await signSession(deps, WALLET)
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
  expect(decodeJwt(token)).toEqual({
    iss: 'farebox',
    aud: 'farebox:owner',
    sub: CHECKSUMMED,
    jti: 'ab'.repeat(16),
    iat: NOW,
    exp: NOW + SESSION_TTL_SECONDS,
  })
})

test('reads a token back as the lowercase wallet, its id and its expiry', async () => {
  const token = await signSession(deps, WALLET)
  expect(await readSessionToken(deps, token)).toEqual({
    wallet: WALLET,
    jti: 'ab'.repeat(16),
    expiresAt: new Date((NOW + SESSION_TTL_SECONDS) * 1_000),
  })
})

test("a token is valid until the second of its expiry, by the gateway's clock", async () => {
  const token = await signSession(deps, WALLET)
  const end = (NOW + SESSION_TTL_SECONDS) * 1_000
  expect(await readSessionToken(at(end - 1), token)).not.toBeNull()
  expect(await readSessionToken(at(end), token)).toBeNull()
})

test('the claims that the following tokens omit or alter are sufficient', async () => {
  expect(await readSessionToken(deps, await sign(CLAIMS))).toMatchObject({ wallet: WALLET, jti: 'j' })
})

test.each<[string, Record<string, unknown>]>([
  ['of another issuer', { iss: 'elsewhere' }],
  ['for another audience', { aud: 'farebox:agent' }],
  ['of nobody', { sub: undefined }],
  ['of no wallet', { sub: 'ada' }],
  ['without an id', { jti: undefined }],
  ['that does not say when it was made', { iat: undefined }],
  ['that never ends', { exp: undefined }],
  ['that has ended', { exp: NOW }],
  ['that has not begun', { nbf: NOW + 60 }],
])('rejects a token %s', async (_, bent) => {
  const claims = Object.entries({ ...CLAIMS, ...bent }).filter(([, value]) => value !== undefined)
  expect(await readSessionToken(deps, await sign(Object.fromEntries(claims)))).toBeNull()
})

test('rejects a token of another secret or algorithm, unsigned, or altered', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const [head, , signature] = (await sign(CLAIMS)).split('.')
  const [, payload] = (await sign({ ...CLAIMS, jti: 'k' })).split('.')
  for (const token of [
    await sign(CLAIMS, { secret: 'another secret of at least 32 bytes' }),
    await sign(CLAIMS, { alg: 'HS512' }),
    await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'EdDSA' }).sign(createPrivateKey(pem)),
    new UnsecuredJWT(CLAIMS).encode(),
    `${head}.${payload}.${signature}`,
    `${head}.${payload}.`,
    'a.b.c',
    '',
  ]) {
    expect(await readSessionToken(deps, token)).toBeNull()
  }
})

test('a gateway without a secret throws instead of issuing or rejecting tokens', async () => {
  const without = { ...deps, config: { ...config, JWT_SECRET: undefined } }
  expect(() => signSession(without, WALLET)).toThrow('JWT_SECRET is not set.')
  await expect(readSessionToken(without, await signSession(deps, WALLET))).rejects.toThrow(
    'JWT_SECRET is not set.',
  )
})
