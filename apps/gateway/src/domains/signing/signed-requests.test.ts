import { createHash, createPublicKey } from 'node:crypto'
import { createVerifier, httpbis } from 'http-message-signatures'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { post } from '../../../test/kit/network/http.ts'
import { type Judged, startSignedProvider } from '../../../test/kit/provider/signed-provider.ts'
import {
  addressed,
  countingDirectory,
  DIRECTORY,
  PRICE,
  publishedKeys,
  refusalOf,
  type SigningFixture,
  startSigningFixture,
} from '../../../test/kit/world/signing-fixture.ts'
import { signIn } from '../../../test/kit/world/wallets.ts'
import { arrive, register } from '../../../test/kit/world/world.ts'
import { systemClock } from '../../adapters/clock.ts'
import { createMessageSigner } from '../../adapters/message-signer.ts'
import { openKeyRing } from './open-key-ring.ts'

let fixture: SigningFixture
beforeAll(async () => {
  fixture = await startSigningFixture()
})
afterAll(() => fixture.stop())

/** Headers that every signature covers to identify the addressed service. */
const ADDRESSEE = ['farebox-service-id', 'farebox-provider', 'farebox-purpose']

const coveredBy = ({ headers }: Judged) =>
  String(headers['signature-input'])
    .match(/\(([^)]*)\)/)?.[1]
    ?.replaceAll('"', '')
    .split(' ')

describe('a forwarded call', () => {
  test('verifies in the example for providers, with its invocation', async () => {
    const seen = await fixture.aCall()
    expect(seen.refused).toBeNull()
    expect(seen.verified?.invocationId).toMatch(/^inv_/)
    expect(seen.url).toBe('/v1/quote?lang=de&city=Z%C3%BCrich+%26+Gen%C3%A8ve')
    expect(seen.verified).toMatchObject({ serviceId: fixture.service, purpose: 'invocation' })
    expect(seen.headers['farebox-provider']).toBe(fixture.provider.account.address.toLowerCase())
    const named = ['farebox-invocation-id', ...ADDRESSEE]
    expect(coveredBy(seen)).toEqual(['@method', '@target-uri', 'content-digest', ...named])
    const digest = createHash('sha256').update(seen.body).digest('base64')
    expect(seen.headers['content-digest']).toBe(`sha-256=:${digest}:`)
  })

  test('verifies in another implementation with the published key', async () => {
    const { method, url, headers } = await fixture.aCall()
    const keys = await publishedKeys(fixture.on)
    const verified = await httpbis.verifyMessage(
      {
        requiredFields: ['@method', '@target-uri', 'content-digest', 'farebox-invocation-id'],
        requiredParams: ['created', 'expires', 'keyid', 'alg'],
        tolerance: 5,
        keyLookup: async ({ keyid }) => {
          const jwk = keys.find(({ kid }) => kid === keyid)
          if (jwk === undefined) return null
          const { kty, crv, x } = jwk
          const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
          return { id: jwk.kid, algs: ['ed25519'], verify: createVerifier(key, 'ed25519') }
        },
      },
      { method, url: fixture.upstream.url + url, headers: headers as Record<string, string> },
    )
    expect(verified).toBe(true)
  })

  test('by GET has no body and no digest, and verifies', async () => {
    const reading = await register(fixture.on, fixture.provider, {
      targets: [`${fixture.upstream.url}/read`],
      priceUsdc: PRICE,
      invoke: { method: 'GET' },
    })
    const seen = await fixture.seenOf({ serviceId: reading, payload: { body: { q: 'a b', n: 1 } } })
    expect(seen).toMatchObject({ method: 'GET', url: '/read?q=a+b&n=1', refused: null })
    expect(seen.headers['content-digest']).toBeUndefined()
    expect(coveredBy(seen)).toEqual(['@method', '@target-uri', 'farebox-invocation-id', ...ADDRESSEE])
  })

  test('verifies at any URL that a provider registered', async () => {
    const path = "/a%20b/;v=1,2/ü?x=[1]&q=%22|^`%7B%7D~!'()*"
    const odd = await register(fixture.on, fixture.provider, {
      targets: [`${fixture.upstream.url}${encodeURI('/ö')}${path.replace('ü', '%C3%BC')}#part`],
      priceUsdc: PRICE,
    })
    expect((await fixture.seenOf({ serviceId: odd, payload: { query: { 'a[]': '+' } } })).refused).toBeNull()
  })
})

describe('a provider that registers the URL of another', () => {
  test('gets no signature that the other accepts, for calls, probes or pings', async () => {
    const thief = await arrive(fixture.on)
    const before = fixture.upstream.seen.length
    const stolen = await register(fixture.on, thief, {
      targets: [`${fixture.upstream.url}/admin/users/1`],
      priceUsdc: '0',
      invoke: { method: 'DELETE' },
    })
    await post(fixture.on, `/services/${stolen}/ping`, { token: thief.token, body: {} })
    await fixture.seenOf({ serviceId: stolen, payload: {} }, '0')
    const seen = fixture.upstream.seen.slice(before).map(({ method, headers, refused }) => {
      return [method, headers['farebox-purpose'], headers['farebox-provider'], refused].join(' ')
    })
    const wallet = thief.account.address.toLowerCase()
    expect(new Set(seen)).toEqual(
      new Set([
        // Sent at registration: asks which wallets may have services on this host.
        'GET   signature_missing',
        `GET probe ${wallet} other_provider`,
        `GET ping ${wallet} other_provider`,
        `DELETE invocation ${wallet} other_provider`,
      ]),
    )
  })
})

describe('a health probe', () => {
  test('is signed, states its purpose, and has no invocation', async () => {
    const before = fixture.upstream.seen.length
    expect(
      (
        await post(fixture.on, `/services/${fixture.service}/ping`, {
          token: fixture.provider.token,
          body: {},
        })
      ).status,
    ).toBe(200)
    const [probe] = fixture.upstream.seen.slice(before)
    expect(probe).toMatchObject({
      method: 'GET',
      refused: null,
      verified: { invocationId: null, purpose: 'ping' },
    })
    expect(probe && coveredBy(probe)).toEqual(['@method', '@target-uri', ...ADDRESSEE])
  })
})

describe('the directory of keys', () => {
  test('is public, cacheable, open to pages of every origin, and holds public halves only', async () => {
    const response = await fetch(fixture.on.url + DIRECTORY, {
      headers: { origin: 'https://anywhere.example' },
    })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/http-message-signatures-directory+json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
    const { keys } = (await response.json()) as { keys: object[] }
    expect(keys.map(key => Object.keys(key).sort().join())).toEqual(['crv,exp,kid,kty,nbf,use,x'])
  })
})

describe('two gateways on one database', () => {
  test('sign with one key, published by either', async () => {
    const { JWT_SECRET = '' } = fixture.on.gateway.deps.config
    const two = await startTestGateway({
      share: fixture.on,
      env: { JWT_SECRET, PROBE_INTERVAL_SECONDS: '3600' },
    })
    try {
      const before = fixture.upstream.seen.length
      await post(two, `/services/${fixture.service}/ping`, { token: fixture.provider.token, body: {} })
      const [byTwo] = fixture.upstream.seen.slice(before)
      const byOne = await fixture.aCall()
      expect(byTwo?.refused).toBeNull()
      expect(byTwo?.verified?.keyId).toBe(byOne.verified?.keyId)
      expect(await (await fetch(two.url + DIRECTORY)).json()).toEqual({
        keys: await publishedKeys(fixture.on),
      })
    } finally {
      await two.stop()
    }
  })
})

describe('a rotation, seen by a provider that fetched the keys before it', () => {
  const DAY_MS = 86_400_000
  let offsetMs = 0
  const clock = { ...systemClock, now: () => Date.now() + offsetMs, pause: async () => undefined }
  const env = { PROBE_INTERVAL_SECONDS: '3600' }

  test('verifies with the new key at once, and with the old key for a day', async () => {
    const old = await startTestGateway({ clock, env })
    // A gateway that never reads the database again.
    const behind = await openKeyRing({ ...old.gateway.deps, clock })
    offsetMs = 29 * DAY_MS // The next key is due; the gateway that starts now creates it.
    const fresh = await startTestGateway({ clock, env, share: old })
    const counted = await countingDirectory(fresh)
    const owner = await arrive(fresh)
    const judging = await startSignedProvider(counted.url, {
      wallet: owner.account.address,
      now: clock.now,
      cacheSeconds: 7 * 86_400,
    })
    const id = await register(fresh, owner, { targets: [`${judging.url}/`], priceUsdc: PRICE })
    const pinged = async () => {
      const before = judging.seen.length
      const token = await signIn(fresh.url, owner.account)
      expect((await post(fresh, `/services/${id}/ping`, { token, body: {} })).status).toBe(200)
      return judging.seen[before]
    }
    const signedBehind = () => {
      const named = addressed(owner.account.address)
      const message = { method: 'GET', targetUri: `${judging.url}/`, headers: named, body: null }
      const [, input, , signature] = createMessageSigner(behind.current, clock.now)(message)
      const headers = { ...named, 'signature-input': String(input), signature: String(signature) }
      return judging.judge({ method: 'GET', url: '/', headers, body: Buffer.alloc(0) })
    }

    const before = await pinged()
    expect(before?.refused).toBeNull()
    expect(before?.verified?.keyId).toBe(behind.current().id)

    offsetMs = 30 * DAY_MS + 60_000
    const after = await pinged()
    expect(after?.refused).toBeNull()
    expect(after?.verified?.keyId).not.toBe(before?.verified?.keyId)
    expect(await signedBehind()).toMatchObject({ keyId: before?.verified?.keyId })
    expect(counted.fetches()).toBe(1)

    offsetMs = 31 * DAY_MS + 180_000
    expect(await refusalOf(signedBehind())).toBe('unknown_key')
    expect((await pinged())?.refused).toBeNull()

    await fresh.stop()
    await Promise.all([judging.stop(), counted.stop()])
    await old.stop()
  })
})
