import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  sign,
  verify,
} from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { createVerifier, httpbis } from 'http-message-signatures'
import { describe, expect, test } from 'vitest'
import { listen } from '../../test/kit/network/loopback.ts'
import type { MessageToSign } from '../upstream-ports.ts'
import { createMessageSigner } from './message-signer.ts'
import { createUpstream } from './upstream/upstream.ts'

/** `test-key-ed25519` of RFC 9421, appendix B.1.4. */
const privateKey = createPrivateKey(`-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`)
const publicKey = createPublicKey(privateKey)
const KEY = { id: 'test-key-ed25519', privateKey }
/** `test-shared-secret` of RFC 9421, appendix B.1.5. */
const SHARED = Buffer.from(
  'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
  'base64',
)
const secret = { id: 'test-shared-secret', key: createSecretKey(SHARED) }
const NOW = 1_618_884_473_900
const CREATED = 1_618_884_473

const message = (more: Partial<MessageToSign> = {}): MessageToSign => ({
  method: 'POST',
  targetUri: 'https://api.example.com/v1/quote?x=1',
  headers: { 'farebox-invocation-id': 'inv_1', accept: 'application/json' },
  body: '{"city":"Zürich"}',
  ...more,
})

function headersBy(sent: MessageToSign, now = NOW): Record<string, string> {
  const flat = createMessageSigner(
    () => KEY,
    () => now,
  )(sent)
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : [])))
}

/** By the library: what the signer of this project never sees. */
function verifies(sent: MessageToSign, headers: Record<string, string>): Promise<boolean | null> {
  const keys = [
    { id: KEY.id, algs: ['ed25519' as const], verify: createVerifier(publicKey, 'ed25519') },
    { id: secret.id, algs: ['hmac-sha256' as const], verify: createVerifier(SHARED, 'hmac-sha256') },
  ]
  return httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid }) => keys.find(({ id }) => id === keyid) ?? null,
      requiredFields: ['@method', '@target-uri'],
      requiredParams: ['created', 'expires', 'keyid', 'alg'],
    },
    { method: sent.method, url: sent.targetUri, headers: { ...sent.headers, ...headers } },
  )
}

describe('a signature', () => {
  test('covers method, target, digest and invocation, for 300 seconds', () => {
    expect(headersBy(message())['signature-input']).toBe(
      'farebox=("@method" "@target-uri" "content-digest" "farebox-invocation-id")' +
        `;created=${CREATED};expires=${CREATED + 300};keyid="test-key-ed25519";alg="ed25519"`,
    )
  })

  test('covers the service, its provider wallet and the purpose when given', () => {
    const headers = {
      'farebox-purpose': 'invocation',
      'farebox-provider': '0xa',
      'farebox-service-id': 'svc_1',
      'farebox-other': 'x',
    }
    expect(headersBy(message({ headers, body: null }))['signature-input']).toContain(
      'farebox=("@method" "@target-uri" "farebox-service-id" "farebox-provider" "farebox-purpose");',
    )
  })

  test('signs the signature base of RFC 9421, 2.5, byte for byte', () => {
    const { signature = '', 'content-digest': digest } = headersBy(message())
    const base = [
      '"@method": POST',
      '"@target-uri": https://api.example.com/v1/quote?x=1',
      `"content-digest": ${digest}`,
      '"farebox-invocation-id": inv_1',
      '"@signature-params": ("@method" "@target-uri" "content-digest" "farebox-invocation-id")' +
        `;created=${CREATED};expires=${CREATED + 300};keyid="test-key-ed25519";alg="ed25519"`,
    ].join('\n')
    const bytes = Buffer.from(signature.replace(/^farebox=:|:$/g, ''), 'base64')
    expect(verify(null, Buffer.from(base), publicKey, bytes)).toBe(true)
  })

  test('matches the Ed25519 test vector of RFC 9421, B.2.6', () => {
    const vector = [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length")' +
        ';created=1618884473;keyid="test-key-ed25519"',
    ].join('\n')
    const expected =
      'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='
    expect(sign(null, Buffer.from(vector), privateKey).toString('base64')).toBe(expected)
    expect(verify(null, Buffer.from(vector), publicKey, Buffer.from(expected, 'base64'))).toBe(true)
  })

  const now = Date.now()
  test.each<[string, Partial<MessageToSign>]>([
    ['a JSON body', {}],
    ['no body', { method: 'GET', body: null }],
    ['no invocation', { method: 'HEAD', headers: {}, body: null }],
    ['a body and no invocation', { method: 'PUT', headers: {} }],
    [
      'every character of a query',
      { targetUri: "https://a.example:8443/%20x/;p=1,2?q=%22a%22&r[]=|^`{}~!'()*=:@" },
    ],
    ['an IPv6 host', { targetUri: 'http://[::1]:8080/' }],
    ['a large body', { body: 'é'.repeat(200_000) }],
  ])('verifies in another implementation, with %s', async (_, more) => {
    const sent = message(more)
    expect(await verifies(sent, headersBy(sent, now))).toBe(true)
  })

  test.each<[string, Partial<MessageToSign>]>([
    ['method', { method: 'PUT' }],
    ['host', { targetUri: 'https://api.example.org/v1/quote?x=1' }],
    ['query', { targetUri: 'https://api.example.com/v1/quote?x=2' }],
    ['invocation', { headers: { 'farebox-invocation-id': 'inv_2' } }],
  ])('does not verify with another %s', async (_, more) => {
    expect(await verifies(message(more), headersBy(message(), now))).toBe(false)
  })

  test('does not verify with another digest', async () => {
    const headers = headersBy(message(), now)
    const digest = headersBy(message({ body: '{}' }))['content-digest'] ?? ''
    expect(await verifies(message(), { ...headers, 'content-digest': digest })).toBe(false)
  })
})

describe('a signature with the secret of a provider', () => {
  test('matches the HMAC-SHA256 test vector of RFC 9421, B.2.5', () => {
    const vector = [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@authority": example.com',
      '"content-type": application/json',
      '"@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
    ].join('\n')
    const mac = createHmac('sha256', secret.key).update(vector).digest('base64')
    expect(mac).toBe('pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=')
  })

  test('covers the same as one by Ed25519, and names its key and algorithm', () => {
    const [own = '', shared = ''] = [message(), message({ secret })].map(
      sent => headersBy(sent)['signature-input'],
    )
    expect(shared).toBe(
      own.replace('keyid="test-key-ed25519";alg="ed25519"', 'keyid="test-shared-secret";alg="hmac-sha256"'),
    )
    expect(shared).not.toBe(own)
  })

  const now = Date.now()
  test('verifies in another implementation, and does not with another method', async () => {
    const sent = message({ secret })
    const headers = headersBy(sent, now)
    expect(await verifies(sent, headers)).toBe(true)
    expect(await verifies({ ...sent, method: 'PUT' }, headers)).toBe(false)
  })
})

describe('the digest', () => {
  test('matches RFC 9530, appendix D', () => {
    // '{"hello": "world"}\n', printed there with its line feed.
    expect(headersBy(message({ body: '{"hello": "world"}\n' }))['content-digest']).toBe(
      'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
    )
  })

  test('covers the UTF-8 bytes that are sent', () => {
    const digest = createHash('sha256').update(Buffer.from('{"city":"Zürich"}', 'utf8')).digest('base64')
    expect(headersBy(message())['content-digest']).toBe(`sha-256=:${digest}:`)
  })

  test.each([null, ''])('is absent, and not covered, for a body of %j', body => {
    const headers = headersBy(message({ body }))
    expect(Object.keys(headers)).toEqual(['signature-input', 'signature'])
    expect(headers['signature-input']).not.toContain('content-digest')
  })
})

describe('the signed target', () => {
  test.each(['/a/../b/%7e//c?q#part', '/?', '', '/%zz?\'"<>', '/a?b?c=1&&#'])(
    'matches what a server receives for %j',
    async path => {
      const seen: IncomingMessage[] = []
      const server = createServer((request, response) => {
        seen.push(request)
        response.end()
      })
      const { port, stop } = await listen(server)
      const sign = createMessageSigner(() => KEY, Date.now)
      const upstream = createUpstream({ ALLOW_PRIVATE_TARGETS: true, ALLOW_HTTP_TARGETS: true }, { sign })
      const headers = { 'farebox-invocation-id': 'inv_1' }
      const limits = { timeoutMs: 5_000, responseBytesMax: 1_024 }
      const sent = { url: `HTTP://0x7f.1:${port}${path}`, method: 'POST', headers, body: '{"é":1}' }
      expect(await upstream.send({ ...sent, ...limits })).toMatchObject({ status: 200 })
      await upstream.close()
      await stop()

      const [request] = seen
      const targetUri = `http://${request?.headers.host}${request?.url}`
      const got = Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)])
      const received = { ...message(), method: request?.method ?? '', targetUri }
      expect(await verifies(received, Object.fromEntries(got))).toBe(true)
    },
  )
})
