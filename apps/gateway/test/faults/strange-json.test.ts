import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { post } from '../kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { arrive, invoke, mint, ownerWith, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.000100'

let gateway: TestGateway
let upstream: TestProvider
let service: string
let payer: { token: string }

beforeAll(async () => {
  gateway = await startTestGateway()
  upstream = await startProvider()
  service = await register(gateway, await arrive(gateway), { targets: [upstream.url], priceUsdc: PRICE_USDC })
  payer = await mint(gateway, await ownerWith(gateway, '10'))
})
afterEach(() => gateway.assertBooks())
afterAll(async () => {
  await upstream.stop()
  await gateway.stop()
})

/** Sends a body as it is, which JSON.stringify might not write. */
async function sendText(path: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const call = (payloadBody: string, key: string) =>
  sendText(
    '/agent/invoke',
    `{"serviceId":"${service}","costUsdc":"${PRICE_USDC}","idempotencyKey":"${key}","payload":{"body":${payloadBody}}}`,
    { 'x-credential': payer.token },
  )
const lastForwarded = () => upstream.calls.at(-1)?.body

describe('failure 63: malicious JSON', () => {
  test.for([
    ['__proto__ at the top', '{"__proto__":{"isAdmin":true},"address":"0x","message":"","signature":""}'],
    ['__proto__ deep inside', '{"address":{"a":[{"__proto__":{"x":1}}]},"message":"","signature":""}'],
    [
      'constructor.prototype',
      '{"constructor":{"prototype":{"x":1}},"address":"0x","message":"","signature":""}',
    ],
    ['__proto__ in escapes', '{"\\u005f_proto__":{"x":1},"address":"0x","message":"","signature":""}'],
  ])('%s is refused, and pollutes no object', async ([, body = '']) => {
    expect((await sendText('/auth/verify', body)).body.code).toBe('INVALID_REQUEST')
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test('in a payload is not forwarded, and costs nothing', async () => {
    const before = upstream.calls.length
    expect((await call('{"a":{"__proto__":{"x":1}}}', 'proto')).body.code).toBe('INVALID_REQUEST')
    expect(upstream.calls.length).toBe(before)
  })

  test('takes the last value of a duplicate key, as the provider does', async () => {
    const first = await call('{"amount":1,"amount":2}', 'twice')
    expect(first.status).toBe(200)
    expect(lastForwarded()).toBe('{"amount":2}')
    expect(await call('{"amount":2}', 'twice')).toEqual(first)
    expect((await call('{"amount":1}', 'twice')).body.code).toBe('IDEMPOTENCY_CONFLICT')
    const twoKeys = `{"serviceId":"svc_other","serviceId":"${service}","costUsdc":"${PRICE_USDC}","payload":{"body":{}}}`
    expect((await sendText('/agent/invoke', twoKeys, { 'x-credential': payer.token })).status).toBe(200)
  })

  test('NUL, lone surrogates and other odd text reach the provider and return unchanged', async () => {
    const odd = ['\\u0000', '\\ud800', '\\udfff\\ud800', '\\u2028\\u2029', '\\ufeff', '\\u202e', '😀', 'é']
    for (const [index, text] of odd.entries()) {
      upstream.respondWith((seen, response) => sendJson(response, 200, { echoed: JSON.parse(seen.body) }))
      const first = await call(`{"text":"${text}","${text}":1}`, `odd ${index}`)
      const sent = JSON.parse(`{"text":"${text}","${text}":1}`) as unknown
      expect([text, first.status]).toEqual([text, 200])
      expect(JSON.parse(lastForwarded() ?? 'null')).toEqual(sent)
      expect(first.body.result).toEqual({ echoed: sent })
      expect(await call(`{"text":"${text}","${text}":1}`, `odd ${index}`)).toEqual(first)
    }
  })

  test.for([
    ['a name', '/credentials/agent/issue', (text: string) => `{"name":"${text}"}`],
    [
      'a service',
      '/services',
      (text: string) => `{"serviceName":"${text}","invoke":{"targets":[{"url":"http://127.0.0.1:9/"}]}}`,
    ],
    [
      'a schema',
      '/services',
      (text: string) =>
        `{"serviceName":"fine","invoke":{"targets":[{"url":"http://127.0.0.1:9/"}],"request":{"x":"${text}"}}}`,
    ],
  ] as const)('refuses unstorable text in the request that sends it: %s', async ([, path, bodyOf]) => {
    const { token } = await ownerWith(gateway, '1')
    for (const text of ['a\\u0000b', 'a\\ud800b']) {
      const { status, body } = await sendText(path, bodyOf(text), { authorization: `Bearer ${token}` })
      expect([text, status, body.code]).toEqual([text, 400, expect.stringMatching(/^INVALID_/)])
    }
  })

  test('refuses numbers beyond the range of JSON in a manifest', async () => {
    const { token } = await ownerWith(gateway, '1')
    const request = '{"body":{"properties":{"n":{"maximum":1e400}}}}'
    const manifest = `{"serviceName":"fine","invoke":{"targets":[{"url":"http://127.0.0.1:9/"}],"request":${request}}}`
    const { status, body } = await sendText('/services', manifest, { authorization: `Bearer ${token}` })
    expect([status, body.code]).toEqual([400, 'INVALID_MANIFEST'])
    expect(body.message).toBe('invoke.request: Must not contain numbers beyond the range of JSON.')
  })

  test('refuses numbers beyond the range of JSON, and text that only resembles JSON', async () => {
    const { status, body: refusal } = await call('{"n":[1,-1e400]}', 'huge')
    expect([status, refusal.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(refusal.message).toBe('payload.body.n.1 is beyond the range of JSON numbers: send it as text.')
    for (const [index, text] of [
      '{a:1}',
      "{'a':1}",
      '{"a":1,}',
      'NaN',
      '[1,2',
      '{"a":01}',
      '\ufeff{}',
      '',
    ].entries()) {
      const { status, body } = await call(text, `broken ${index}`)
      expect([text, status, body.code]).toEqual([text, 400, 'INVALID_REQUEST'])
    }
  })

  test('bounds nesting before anything traverses it', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    upstream.respondWith(({ body }, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    expect((await call(nested(60), 'flat')).status).toBe(200)
    // It is taken and forwarded; its echo is not, since an answer may be nested less.
    expect((await call(nested(400), 'deep')).body).toMatchObject({ detail: { reason: 'too_large' } })
    expect(lastForwarded()).toBe(nested(400))
    expect((await call(nested(40_000), 'deeper')).body.code).toBe('INVALID_REQUEST')
  })
})

test('an invocation never uses members of its body as header, method or path', async () => {
  const { status } = await invoke(gateway, payer, {
    serviceId: service,
    costUsdc: PRICE_USDC,
    payload: { body: { method: 'DELETE', headers: { host: 'x' } } },
  })
  expect(status).toBe(200)
  expect(upstream.calls.at(-1)).toMatchObject({ method: 'POST', url: '/' })
  const refused = await post(gateway, '/agent/invoke', {
    headers: { 'x-credential': payer.token },
    body: { serviceId: service, costUsdc: PRICE_USDC, payload: { body: {}, headers: { host: 'x' } } },
  })
  expect(refused.body.code).toBe('INVALID_PAYLOAD')
})
