import { spawn } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type FareboxRequest, verifyFarebox } from '@farebox/client/express'
import type { VerifyOptions } from '@farebox/client/verify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post } from '../../../test/kit/network/http.ts'
import { type Listening, listen } from '../../../test/kit/network/loopback.ts'
import { type Judged, startSignedProvider } from '../../../test/kit/provider/signed-provider.ts'
import {
  addressed,
  countingDirectory,
  PRICE,
  publishedKeys,
  refusalOf,
  type SigningFixture,
  startSigningFixture,
} from '../../../test/kit/world/signing-fixture.ts'
import { invoke, register } from '../../../test/kit/world/world.ts'
import { freePort } from '../../adapters/free-port.ts'
import { createMessageSigner } from '../../adapters/message-signer.ts'

let fixture: SigningFixture
beforeAll(async () => {
  fixture = await startSigningFixture()
})
afterAll(() => fixture.stop())

describe('the example for providers rejects', () => {
  test('another body, path, query, method or invocation than signed', async () => {
    const genuine = await fixture.aCall()
    const judge = (changes: Partial<Judged>) => refusalOf(fixture.upstream.judge({ ...genuine, ...changes }))
    const body = Buffer.from('{"q":"other"}')
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
    expect(await judge({})).toMatchObject({ keyId: genuine.verified?.keyId })
    expect(await judge({ body })).toBe('digest_mismatch')
    expect(await judge({ body: Buffer.alloc(0) })).toBe('digest_mismatch')
    const headers = { ...genuine.headers, 'content-digest': digest }
    expect(await judge({ body, headers })).toBe('signature_invalid')
    expect(await judge({ url: '/v1/other?lang=de' })).toBe('signature_invalid')
    expect(await judge({ url: `${genuine.url}&admin=1` })).toBe('signature_invalid')
    expect(await judge({ method: 'PUT' })).toBe('signature_invalid')
    const others = {
      'farebox-invocation-id': 'inv_other',
      'farebox-service-id': 'svc_other',
      'farebox-provider': `0x${'1'.repeat(40)}`,
      'farebox-purpose': 'ping',
    }
    for (const [name, value] of Object.entries(others)) {
      const headers = { ...genuine.headers, [name]: value }
      expect(await judge({ headers })).toBe('signature_invalid')
    }
  })

  test('a signature for another wallet, and accepts each of its own in any case', async () => {
    const genuine = await fixture.aCall()
    const own = fixture.provider.account.address
    const other = `0x${'1'.repeat(40)}`
    const judgedBy = async (wallet: string | string[]) => {
      const judging = await startSignedProvider(fixture.on.url, { publicUrl: fixture.upstream.url, wallet })
      const verdict = await refusalOf(judging.judge(genuine))
      await judging.stop()
      return verdict
    }
    expect(await judgedBy(other)).toBe('other_provider')
    expect(await judgedBy([other, own.toLowerCase()])).toMatchObject({ purpose: 'invocation' })
    for (const none of ['', 'me', [], ['0x1']]) {
      await expect(judgedBy(none)).rejects.toThrow('wallet: give the 0x address')
    }
  })

  test('a request without a signature, or with half of one', async () => {
    const { headers, ...genuine } = await fixture.aCall()
    for (const name of ['signature', 'signature-input']) {
      const { [name]: _, ...rest } = headers
      expect(await refusalOf(fixture.upstream.judge({ ...genuine, headers: rest }))).toBe('signature_missing')
    }
  })

  test.each([
    ['another label', /farebox=/, 'sig1='],
    ['another algorithm', /alg="ed25519"/, 'alg="rsa-v1_5-sha256"'],
    ['the length of another algorithm', /alg="ed25519"/, 'alg="hmac-sha256"'],
    ['no time', /;created=\d+/, ''],
    ['an unsupported component parameter', /"@method"/, '"@method";req'],
    ['nonsense', /^.*$/, '((((('],
  ])('a signature with %s', async (_, pattern, replacement) => {
    const genuine = await fixture.aCall()
    const input = String(genuine.headers['signature-input']).replace(pattern, replacement)
    const headers = { ...genuine.headers, 'signature-input': input }
    expect(await refusalOf(fixture.upstream.judge({ ...genuine, headers }))).toBe('signature_malformed')
  })

  test('a signature by the right key that does not cover body or invocation', async () => {
    const genuine = await fixture.aCall()
    const bare = await post(fixture.on, `/services/${fixture.service}/ping`, {
      token: fixture.provider.token,
      body: {},
    })
    expect(bare.status).toBe(200)
    const probe = fixture.upstream.seen.at(-1)
    const judge = (changes: object) =>
      refusalOf(fixture.upstream.judge({ ...genuine, headers: { ...probe?.headers }, ...changes }))
    expect(await judge({})).toBe('not_covered')
    const headers = { ...probe?.headers, 'farebox-invocation-id': 'inv_1' }
    expect(await judge({ body: Buffer.alloc(0), headers })).toBe('not_covered')
  })

  test('a signature from yesterday or tomorrow', async () => {
    const genuine = await fixture.aCall()
    for (const offsetMs of [86_400_000, -86_400_000, 362_000, -62_000]) {
      const late = await startSignedProvider(fixture.on.url, {
        publicUrl: fixture.upstream.url,
        wallet: fixture.provider.account.address,
        now: () => Date.now() + offsetMs,
      })
      expect(await refusalOf(late.judge(genuine))).toBe('stale')
      await late.stop()
    }
  })

  test('a signature by an unpublished key, without fetching the keys each time', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const counted = await countingDirectory(fixture.on)
    const judging = await startSignedProvider(counted.url, {
      publicUrl: fixture.upstream.url,
      wallet: fixture.provider.account.address,
    })
    const forged = (id: string) => {
      const named = addressed(fixture.provider.account.address)
      const message = { method: 'POST', targetUri: `${fixture.upstream.url}/x`, headers: named, body: null }
      const flat = createMessageSigner(() => ({ id, privateKey }), Date.now)(message)
      const headers = { ...named, 'signature-input': flat[1] ?? '', signature: flat[3] ?? '' }
      return refusalOf(judging.judge({ method: 'POST', url: '/x', headers, body: Buffer.alloc(0) }))
    }
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => forged(`made-up-${index}`)))
    expect(new Set(answers)).toEqual(new Set(['unknown_key']))
    const [published] = await publishedKeys(fixture.on)
    expect(await forged(published?.kid ?? '')).toBe('signature_invalid')
    expect(counted.fetches()).toBe(1)
    await Promise.all([judging.stop(), counted.stop()])
  })

  test('everything while it has no keys, with another error than for a forgery', async () => {
    const genuine = await fixture.aCall()
    const judging = await startSignedProvider('http://127.0.0.1:9', {
      publicUrl: fixture.upstream.url,
      wallet: fixture.provider.account.address,
    })
    expect(await refusalOf(judging.judge(genuine))).toBe('keys_unavailable')
    await judging.stop()
  })
})

describe('the middleware for providers', () => {
  let server: Listening
  let url: string
  let verify: ReturnType<typeof verifyFarebox>
  const guarded = (options: Partial<VerifyOptions> = {}) =>
    verifyFarebox({
      gatewayUrl: fixture.on.url,
      publicUrl: url,
      wallet: fixture.provider.account.address,
      ...options,
    })

  beforeAll(async () => {
    const middleware = createServer((request: FareboxRequest, response) => {
      verify(request, response, error => {
        const { farebox, body } = request
        response.writeHead(error === undefined ? 200 : 400, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify({ farebox, body, error: error instanceof Error ? error.name : undefined }),
        )
      })
    })
    server = await listen(middleware)
    url = server.origin
    verify = guarded()
  })
  afterAll(() => server.stop())

  test('passes on the caller and the body', async () => {
    const behind = await register(fixture.on, fixture.provider, {
      targets: [`${url}/served`],
      priceUsdc: PRICE,
    })
    const call = { serviceId: behind, costUsdc: PRICE, payload: { body: { q: 'é' } } }
    const { body } = await invoke(fixture.on, fixture.credential, call)
    expect(body).toMatchObject({
      status: 'SUCCEEDED',
      result: { farebox: { invocationId: body.invocationId }, body: { q: 'é' } },
    })
  })

  test('answers 401 to unsigned requests, and 413 to a body over its limit', async () => {
    const unsigned = await fetch(url, { method: 'POST', body: '{}' })
    expect(unsigned.status).toBe(401)
    expect(await unsigned.json()).toMatchObject({ error: { reason: 'signature_missing' } })
    verify = guarded({ bodyBytesMax: 1_000 })
    const large = await fetch(url, { method: 'POST', body: 'x'.repeat(100_000) })
    expect(large.status).toBe(413)
    expect(await large.json()).toMatchObject({ error: { reason: 'body_too_large' } })
  })

  test('rejects a repeated invocation when configured to', async () => {
    const genuine = await fixture.aCall()
    verify = guarded({ publicUrl: fixture.upstream.url, refuseReplays: true })
    const { host: _host, connection: _connection, 'content-length': _length, ...kept } = genuine.headers
    const headers = Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, String(value)]))
    const send = () =>
      fetch(url + genuine.url, { method: 'POST', headers, body: new Uint8Array(genuine.body) })
    expect((await send()).status).toBe(200)
    const again = await send()
    expect(again.status).toBe(409)
    expect(await again.json()).toMatchObject({ error: { reason: 'replayed' } })
  })
})

describe('the server of the example', () => {
  test('runs unmodified and serves the gateway only', async () => {
    const port = await freePort()
    const program = join(import.meta.dirname, '../../../../../examples/provider-verify/server.ts')
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        GATEWAY_URL: fixture.on.url,
        PORT: String(port),
        WALLET: fixture.provider.account.address,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await once(child.stdout, 'data', { signal: AbortSignal.timeout(15_000) })
      const target = `http://127.0.0.1:${port}/any`
      const served = await register(fixture.on, fixture.provider, { targets: [target], priceUsdc: PRICE })
      const call = { serviceId: served, costUsdc: PRICE, payload: { body: { q: 1 } } }
      const { body } = await invoke(fixture.on, fixture.credential, call)
      expect(body.result).toEqual({ invocationId: body.invocationId, youSent: { q: 1 } })
      expect((await fetch(target)).status).toBe(401)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
