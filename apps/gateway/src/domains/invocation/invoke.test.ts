import { parseUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { get, post, send } from '../../../test/kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import {
  arrive,
  balanceOf,
  invoke,
  mint,
  ownerWith,
  type Person,
  register,
} from '../../../test/kit/world/world.ts'

const PRICE = '0.010000'
/** Calls until one of two targets came first: it never does once in 2^64 times. */
const DRAWS_MAX = 64

let on: TestGateway
let provider: Person
let upstream: TestProvider
let service: string

beforeAll(async () => {
  on = await startTestGateway({ env: { PLATFORM_FEE_BPS: '250' } })
  provider = await arrive(on)
})
afterAll(() => on.stop())
beforeEach(async () => {
  upstream = await startProvider()
  service = await register(on, provider, { targets: [upstream.url], priceUsdc: PRICE })
})
afterEach(async () => {
  await upstream.stop()
  await on.assertBooks()
})

const call = (extra: Record<string, unknown> = {}) => ({
  serviceId: service,
  costUsdc: PRICE,
  payload: { body: { q: 1 } },
  ...extra,
})

describe('a paid call', () => {
  test('is charged the asserted price; the provider earns it less the fee, rounded down', async () => {
    const owner = await ownerWith(on, '5')
    const agent = await mint(on, owner)
    const before = await balanceOf(on, provider)
    const answer = await invoke(on, agent, call({ idempotencyKey: 'k1' }))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: PRICE, result: { number: 1 } })
    expect(answer.body.receipt).toMatchObject({
      invocationId: answer.body.invocationId,
      serviceId: service,
      credentialId: agent.id,
      attempts: 1,
      requestHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      responseHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await balanceOf(on, owner)).toMatchObject({ available: parseUsdc('4.99'), held: usdc(0n) })
    expect((await balanceOf(on, provider)).receivable - before.receivable).toBe(9_750n)
    const { body } = await get(on, '/balance', { token: owner.token })
    expect(body).toMatchObject({
      protocol_fee_balance: '0.000250',
      balance: { platformFeeAccrued: '0.000250' },
    })
  })

  test('sends the provider the payload and invocation id, but no token, cookie or address of the agent', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    const { body } = await post<{ invocationId: string }>(on, '/agent/invoke', {
      headers: {
        authorization: `Bearer ${agent.token}`,
        cookie: 'session=1',
        'x-forwarded-for': '10.9.8.7',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
      body: call({ payload: { body: { q: 'x' }, query: { page: 2, exact: true } } }),
    })
    const [seen] = upstream.calls
    expect(seen).toMatchObject({ method: 'POST', url: '/?page=2&exact=true', body: '{"q":"x"}' })
    expect(seen?.headers).toMatchObject({
      'farebox-invocation-id': body.invocationId,
      'farebox-service-id': service,
      'idempotency-key': body.invocationId,
      'content-type': 'application/json',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    })
    expect(JSON.stringify(seen?.headers)).not.toMatch(/agt_|session=1|10\.9\.8\.7/)
  })

  test('of a GET service sends its body fields in the query, with arrays as repeated parameters', async () => {
    const getService = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: '0',
      invoke: { method: 'GET' },
    })
    const agent = await mint(on, await ownerWith(on, '1'))
    const payload = {
      body: { city: 'Łódź & co', days: 3, tags: ['a', 'b'], none: null },
      query: { units: 'c', ids: [1, 2] },
    }
    const answer = await invoke(on, agent, { serviceId: getService, costUsdc: 0, payload })
    expect(answer.body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.000000' })
    const sent = new URL(upstream.calls[0]?.url ?? '', upstream.url).searchParams
    expect([...sent]).toEqual([
      ['city', 'Łódź & co'],
      ['days', '3'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['units', 'c'],
      ['ids', '1'],
      ['ids', '2'],
    ])
    expect(upstream.calls[0]?.body).toBe('')
  })

  test.each([
    [{ body: { deep: { no: 1 } } }, 'payload.body.deep'],
    [{ body: { list: [1, { no: 1 }] } }, 'payload.body.list'],
    [{ query: { deep: { no: 1 } } }, 'payload.query.deep'],
    [{ query: { list: [[1]] } }, 'payload.query.list'],
  ])('of a GET service rejects %j with the path of the field, before any hold', async (payload, path) => {
    const getService = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: PRICE,
      invoke: { method: 'GET' },
    })
    const owner = await ownerWith(on, '1')
    const answer = await invoke(on, await mint(on, owner), {
      serviceId: getService,
      costUsdc: PRICE,
      payload,
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
    expect(JSON.stringify(answer.body)).toContain(path)
    expect(upstream.calls).toEqual([])
    expect(await balanceOf(on, owner)).toMatchObject({ available: parseUsdc('1'), held: usdc(0n) })
  })

  test('of a GET service validates parameters in body and query against the request schema', async () => {
    const getService = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: '0',
      invoke: {
        method: 'GET',
        request: {
          body: {
            type: 'object',
            properties: { city: { type: 'string' }, days: { type: 'integer' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      },
    })
    const agent = await mint(on, await ownerWith(on, '1'))
    const sent = (payload: Record<string, unknown>) =>
      invoke(on, agent, { serviceId: getService, costUsdc: 0, payload })
    expect((await sent({ query: { city: 'Bern', days: '3' } })).status).toBe(200)
    expect((await sent({ body: { city: 'Bern' }, query: { days: 3 } })).status).toBe(200)
    for (const payload of [
      { query: { city: 'Bern', other: 'x' } },
      { query: { days: 3 } },
      { body: { city: 'Bern' }, query: { city: 'Basel' } },
      { query: { city: 'Bern', days: 'many' } },
    ]) {
      expect((await sent(payload)).body).toMatchObject({ code: 'INVALID_PAYLOAD' })
    }
  })

  test('can address a service by tool name, or a service of its own owner', async () => {
    const named = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: PRICE,
      manifest: { agentToolName: 'own-tool' },
    })
    const owner = await ownerWith(on, '1')
    const own = await register(on, owner, { targets: [upstream.url], priceUsdc: PRICE })
    const agent = await mint(on, owner)
    const byName = await invoke(on, agent, call({ serviceId: 'own-tool' }))
    expect(byName.body.receipt).toMatchObject({ serviceId: named })
    expect((await invoke(on, agent, call({ serviceId: own }))).body.status).toBe('SUCCEEDED')
    expect(await balanceOf(on, owner)).toMatchObject({
      available: parseUsdc('0.98'),
      receivable: usdc(9_750n),
    })
  })

  test('wraps a response that is not a JSON object, and passes a JSON object through unchanged', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    const resultOf = async (type: string, body: string | Buffer) => {
      upstream.respondWith((_, response) => response.writeHead(200, { 'content-type': type }).end(body))
      return (await invoke(on, agent, call())).body.result
    }
    expect(await resultOf('application/json', '[1,2]')).toEqual({ value: [1, 2] })
    expect(await resultOf('application/json; charset=utf-8', ' "text" ')).toEqual({ value: 'text' })
    expect(await resultOf('text/plain', 'hello')).toEqual({ contentType: 'text/plain', text: 'hello' })
    expect(await resultOf('image/png', Buffer.from([0, 255]))).toEqual({
      contentType: 'image/png',
      base64: 'AP8=',
    })
    expect(await resultOf('application/problem+json', '{"a":1e2,"gateway":{"chargedUsdc":"0"}}')).toEqual({
      a: 100,
      gateway: { chargedUsdc: '0' },
    })
  })

  test('with a response that violates its schema is charged, and the receipt lists the issues', async () => {
    const schema = { body: { type: 'object', required: ['fortune'] } }
    const checked = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: PRICE,
      invoke: { response: schema },
    })
    const agent = await mint(on, await ownerWith(on, '1'))
    const answer = await invoke(on, agent, call({ serviceId: checked }))
    expect(answer.body).toMatchObject({ status: 'SUCCEEDED', receipt: { responseIssues: expect.any(Array) } })
  })
})

describe('refusals before the hold', () => {
  const refusals: [string, () => Record<string, unknown>, number, string][] = [
    ['a price that is not the live one', () => call({ costUsdc: '0.02' }), 422, 'PRICE_MISMATCH'],
    ['no price at all', () => call({ costUsdc: undefined }), 422, 'PRICE_MISMATCH'],
    ['a price off by one micro', () => call({ costUsdc: '0.010001' }), 422, 'PRICE_MISMATCH'],
    ['an unknown service', () => call({ serviceId: 'svc_nowhere' }), 404, 'SERVICE_NOT_FOUND'],
    ['a malformed amount', () => call({ costUsdc: '1e-2' }), 400, 'INVALID_PAYLOAD'],
    ['another member of payload', () => call({ payload: { body: {}, headers: {} } }), 400, 'INVALID_PAYLOAD'],
    ['a key that is too long', () => call({ idempotencyKey: 'k'.repeat(256) }), 400, 'INVALID_REQUEST'],
    ['a misspelt cap', () => call({ max_cost_usdc: '0.01' }), 400, 'INVALID_REQUEST'],
    ['a misspelt key', () => call({ idempotency_key: 'k' }), 400, 'INVALID_REQUEST'],
    ...['body', 'arguments', 'input', 'params', 'query', 'path'].map((name): (typeof refusals)[number] => [
      `a ${name} beside payload`,
      () => call({ payload: undefined, [name]: { city: 'Lisbon' } }),
      400,
      'INVALID_REQUEST',
    ]),
    ['a body that is no object', () => call({ payload: { body: [1] } }), 400, 'INVALID_PAYLOAD'],
  ]
  test.each(refusals)(
    '%s holds nothing, stores nothing and does not reach the provider',
    async (_, body, status, code) => {
      const owner = await ownerWith(on, '1')
      const agent = await mint(on, owner)
      const refused = await invoke(on, agent, body())
      expect([refused.status, refused.body.code]).toEqual([status, code])
      expect(await balanceOf(on, owner)).toMatchObject({ available: parseUsdc('1'), held: usdc(0n) })
      expect(upstream.calls).toEqual([])
      expect(await on.sql('select 1 from invocations where credential_id = $1', [agent.id])).toEqual([])
    },
  )

  test('failure 8: a changed price is refused with both prices, and the same key succeeds at the new price', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    const pricing = { currency: 'USDC', amount: '0.03' }
    await send(on.url, `/api/v1/services/${service}`, {
      method: 'PUT',
      token: provider.token,
      body: { pricing },
    })
    const refused = await invoke(on, agent, call({ idempotencyKey: 'same' }))
    expect(refused.body).toMatchObject({
      code: 'PRICE_MISMATCH',
      detail: { expectedPriceUsdc: PRICE, currentPriceUsdc: '0.030000' },
    })
    const answer = await invoke(on, agent, call({ idempotencyKey: 'same', costUsdc: 0.03 }))
    expect(answer.body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.030000' })
  })

  test('a payload that fails the request schema is refused with its issues', async () => {
    const schema = { body: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } } }
    const strict = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: PRICE,
      invoke: { request: schema },
    })
    const agent = await mint(on, await ownerWith(on, '1'))
    const refused = await invoke(on, agent, call({ serviceId: strict }))
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(refused.body.detail.issues).toEqual([expect.objectContaining({ message: expect.any(String) })])
  })

  test('a service outside the allow-list of the credential is refused', async () => {
    const other = await register(on, provider, { targets: [upstream.url], priceUsdc: PRICE })
    const agent = await mint(on, await ownerWith(on, '1'), { allowedServices: [other] })
    expect(await invoke(on, agent, call())).toMatchObject({
      status: 403,
      body: { code: 'SERVICE_NOT_ALLOWED' },
    })
  })

  test('an empty allow-list allows no service, and one with unknown services is rejected', async () => {
    const owner = await ownerWith(on, '1')
    const agent = await mint(on, owner, { allowedServices: [] })
    expect((await invoke(on, agent, call())).body.code).toBe('SERVICE_NOT_ALLOWED')
    const headers = { 'x-credential': agent.token }
    expect((await post(on, '/agent/discovery/search', { headers, body: {} })).body.results).toEqual([])
    const body = { allowedServices: [service, 'no-such-service', 'svc_00000000000000000000000000'] }
    const refused = await post(on, '/credentials/agent/issue', { token: owner.token, body })
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      400,
      'INVALID_PAYLOAD',
      expect.stringContaining('There is no service no-such-service, svc_00000000000000000000000000.'),
    ])
  })

  test.each([
    [
      { costUsdc: undefined },
      {},
      `costUsdc: Is required: the price that discovery shows, 0.010000 USDC now.`,
    ],
    [{ costUsdc: '0.02' }, {}, 'costUsdc: The price is 0.010000 USDC now, not 0.020000.'],
    [{ maxCostUsdc: '0.001' }, {}, 'maxCostUsdc: 0.001000 USDC does not cover a call, which costs 0.010000'],
    [
      {},
      { creditLimit: '0.001' },
      'creditLimit: the call needs 0.010000 USDC, 0.001000 of 0.001000 USDC are',
    ],
    [{}, { rpm: 1 }, 'rpm: this token may make 1 request a minute. Retry in '],
    [{}, { maxCalls: 1 }, 'maxCalls: all 1 calls of the credential are used.'],
  ])(
    '%j with a credential of %j is refused with the limit, the field and the next step',
    async (more, limits, says) => {
      const agent = await mint(on, await ownerWith(on, '1'), limits)
      await invoke(on, agent, call({ ...more, idempotencyKey: 'first' }))
      const { body } = await invoke(on, agent, call({ ...more, idempotencyKey: 'second' }))
      expect(body).toMatchObject({ message: expect.stringContaining(says), detail: { code: body.code } })
    },
  )

  test('do not apply to unknown fields, which are ignored', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    const answer = await invoke(on, agent, call({ traceName: 'nightly', metadata: { run: 7 } }))
    expect(answer.body.status).toBe('SUCCEEDED')
  })

  test('an inactive service is SERVICE_NOT_FOUND from the next call on, but its calls still replay', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    const paid = await invoke(on, agent, call({ idempotencyKey: 'before' }))
    await send(on.url, `/api/v1/services/${service}`, {
      method: 'PUT',
      token: provider.token,
      body: { isActive: false },
    })
    expect((await invoke(on, agent, call())).body.code).toBe('SERVICE_NOT_FOUND')
    const again = await invoke(on, agent, call({ idempotencyKey: 'before' }))
    expect([again.status, again.body]).toEqual([200, paid.body])
  })

  test('the rate limit counts replays and refusals, and reports when to retry', async () => {
    const agent = await mint(on, await ownerWith(on, '1'), { rpm: 3 })
    const first = await invoke(on, agent, call({ idempotencyKey: 'k' }))
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"rpm";q=3;w=60',
      ratelimit: '"rpm";r=2;t=60',
    })
    await invoke(on, agent, call({ idempotencyKey: 'k' }))
    await invoke(on, agent, call({ costUsdc: '9' }))
    const limited = await invoke(on, agent, call())
    expect([limited.status, limited.body.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect(limited.body.detail.retryAfterSeconds).toBeGreaterThan(0)
  })
})

describe('replays', () => {
  test('a known key returns the same response without a call or a charge', async () => {
    const owner = await ownerWith(on, '1')
    const agent = await mint(on, owner)
    const first = await invoke(on, agent, call({ idempotencyKey: 'once' }))
    const again = await invoke(on, agent, call({ idempotencyKey: 'once' }))
    expect(again.body).toEqual(first.body)
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ])
    expect(upstream.calls).toHaveLength(1)
    expect((await balanceOf(on, owner)).available).toBe(parseUsdc('0.99'))
  })

  test('failure 5: reordered fields are the same request, and a changed value is IDEMPOTENCY_CONFLICT', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    const body = (payload: unknown, costUsdc: unknown = PRICE) =>
      call({ idempotencyKey: 'order', payload, costUsdc })
    await invoke(on, agent, body({ body: { a: 1, b: { c: 2, d: [1, 2] } } }))
    const reordered = await invoke(on, agent, body({ body: { b: { d: [1, 2], c: 2 }, a: 1 } }, 0.01))
    expect(reordered.headers['idempotent-replayed']).toBe('true')
    for (const changed of [{ a: 1, b: { c: 2, d: [2, 1] } }, { a: 2 }, {}]) {
      expect(await invoke(on, agent, body({ body: changed }))).toMatchObject({
        status: 409,
        body: { code: 'IDEMPOTENCY_CONFLICT' },
      })
    }
    expect(
      (await invoke(on, agent, body({ body: { a: 1, b: { c: 2, d: [1, 2] } } }, '0.02'))).body.code,
    ).toBe('IDEMPOTENCY_CONFLICT')
  })

  test('concurrent keys each replay their own response', async () => {
    const agent = await mint(on, await ownerWith(on, '5'))
    const keys = Array.from({ length: 40 }, (_, index) => `many-${index}`)
    const askAll = () => Promise.all(keys.map(idempotencyKey => invoke(on, agent, call({ idempotencyKey }))))
    const first = await askAll()
    const again = await askAll()
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body))
    expect(new Set(again.map(({ body }) => body.invocationId)).size).toBe(keys.length)
    expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual(keys.map(() => 'true'))
  })

  test('failure 6: the same key under two credentials makes two calls', async () => {
    const owner = await ownerWith(on, '1')
    const agents = [await mint(on, owner), await mint(on, owner)]
    for (const agent of agents) await invoke(on, agent, call({ idempotencyKey: 'shared' }))
    expect(upstream.calls).toHaveLength(2)
    expect((await balanceOf(on, owner)).available).toBe(parseUsdc('0.98'))
  })

  test('a key in the header is accepted, and a failed call replays its failure', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    upstream.respondWith((_, response) => sendJson(response, 404, { why: 'no such thing' }))
    const headers = { 'x-credential': agent.token, 'idempotency-key': 'by-header' }
    const first = await post<Record<string, unknown>>(on, '/agent/invoke', { headers, body: call() })
    upstream.respondWith((_, response) => sendJson(response, 200, {}))
    const again = await post<Record<string, unknown>>(on, '/agent/invoke', { headers, body: call() })
    expect([first.status, again.status]).toEqual([502, 502])
    expect(again.body).toEqual(first.body)
  })
})

describe('provider failures', () => {
  test('a 4xx is final and a 5xx retryable; both release the hold and report status and body', async () => {
    const owner = await ownerWith(on, '1')
    const agent = await mint(on, owner, { maxCalls: 3 })
    for (const [status, state] of [
      [422, 'FAILED_FINAL'],
      [500, 'FAILED_RETRYABLE'],
    ] as const) {
      upstream.respondWith((_, response) => sendJson(response, status, { secret: 'x'.repeat(5_000) }))
      const failed = await invoke(on, agent, call())
      expect(failed).toMatchObject({
        status: 502,
        body: { code: 'UPSTREAM_ERROR', detail: { reason: 'status', upstreamStatus: status, status: state } },
      })
      expect(String(failed.body.detail.upstreamBody)).toHaveLength(2_048)
      const reported = await get(on, `/agent/invocations/${failed.body.detail.invocationId}`, {
        headers: { 'x-credential': agent.token },
      })
      expect(reported.body).toMatchObject({
        status: state,
        chargedUsdc: '0.000000',
        holdUsdc: PRICE,
        releasedUsdc: PRICE,
        error: { code: 'UPSTREAM_ERROR', requestId: (failed.body as { requestId?: string }).requestId },
      })
    }
    expect(await balanceOf(on, owner)).toMatchObject({ available: parseUsdc('1'), held: usdc(0n) })
    const status = await get(on, `/credentials/agent/${agent.id}/status`, { token: owner.token })
    expect(status.body).toMatchObject({ callsUsed: 0, spentUsdc: '0.000000', heldUsdc: '0.000000' })
  })

  test("a provider's Retry-After is forwarded in the header and the detail", async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    upstream.respondWith((_, response) => response.writeHead(429, { 'retry-after': '17' }).end('{}'))
    const asked = call()
    for (let times = 0; times < 2; times++) {
      const failed = await invoke(on, agent, asked)
      expect(failed).toMatchObject({
        status: 502,
        headers: { 'retry-after': '17' },
        body: { code: 'UPSTREAM_ERROR', detail: { upstreamStatus: 429, retryAfterSeconds: 17 } },
      })
    }
  })

  test.each([
    ['is not', 200, '{"cut":'],
    ['is empty', 200, ''],
    ['has no content', 204, ''],
  ])(
    'a response that is declared as JSON and %s fails finally, without a charge',
    async (_, status, body) => {
      const agent = await mint(on, await ownerWith(on, '1'))
      upstream.respondWith((__, response) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      )
      expect((await invoke(on, agent, call())).body).toMatchObject({
        code: 'UPSTREAM_ERROR',
        detail: { reason: 'invalid_json', status: 'FAILED_FINAL' },
      })
    },
  )

  test('failure 45: a provider that hangs causes a 504 at its timeout and releases the hold', async () => {
    const owner = await ownerWith(on, '1')
    const slow = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: PRICE,
      invoke: { timeoutMs: 300 },
    })
    const agent = await mint(on, owner)
    upstream.respondWith(() => undefined)
    const failed = await invoke(on, agent, call({ serviceId: slow }))
    expect(failed).toMatchObject({
      status: 504,
      body: { detail: { reason: 'timeout', status: 'FAILED_RETRYABLE' } },
    })
    expect((await balanceOf(on, owner)).held).toBe(0n)
  })

  test('a connection reset is retryable before the response head, and final within the body', async () => {
    const agent = await mint(on, await ownerWith(on, '1'))
    upstream.respondWith((_, response) => response.destroy())
    expect((await invoke(on, agent, call())).body.detail).toMatchObject({
      reason: 'reset',
      status: 'FAILED_RETRYABLE',
    })
    upstream.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"half":', () => response.destroy())
    })
    expect((await invoke(on, agent, call())).body.detail).toMatchObject({
      reason: 'reset',
      status: 'FAILED_FINAL',
    })
  })

  test('failure 52: a call fails over when the first target is unreachable, and is sent once', async () => {
    const dead = await startProvider()
    const service2 = await register(on, provider, { targets: [dead.url, upstream.url], priceUsdc: PRICE })
    await dead.stop()
    const agent = await mint(on, await ownerWith(on, '1'))
    const attempts: number[] = []
    // Which target comes first is drawn for each call.
    while (!attempts.includes(2) && attempts.length < DRAWS_MAX) {
      const answer = await invoke(on, agent, call({ serviceId: service2 }))
      expect(answer.body.status).toBe('SUCCEEDED')
      attempts.push(Number(answer.body.receipt.attempts))
    }
    expect(attempts).toContain(2)
    expect(upstream.calls).toHaveLength(attempts.length)
  })

  test('a 503 fails over to another target for a GET, but not for a POST', async () => {
    const busy = await startProvider()
    busy.respondWith((_, response) => sendJson(response, 503, {}))
    const agent = await mint(on, await ownerWith(on, '1'))
    const priced = { targets: [busy.url, busy.url.replace('127.0.0.1', 'localhost')], priceUsdc: PRICE }
    const posts = await register(on, provider, priced)
    await invoke(on, agent, call({ serviceId: posts }))
    expect(busy.calls).toHaveLength(1)
    const gets = await register(on, provider, { ...priced, invoke: { method: 'GET' } })
    await invoke(on, agent, call({ serviceId: gets }))
    expect(busy.calls.map(seen => seen.method)).toEqual(['POST', 'GET', 'GET'])
    expect(busy.calls[1]?.headers['idempotency-key']).toBe(busy.calls[2]?.headers['idempotency-key'])
    await busy.stop()
  })
})

describe('reading calls', () => {
  test('an invocation is readable only by its credential and its owner', async () => {
    const owner = await ownerWith(on, '1')
    const [agent, sister] = [await mint(on, owner), await mint(on, owner)]
    const { body } = await invoke(on, agent, call())
    const path = `/agent/invocations/${body.invocationId}`
    expect((await get(on, path, { headers: { 'x-credential': agent.token } })).body).toMatchObject({
      ...body,
      holdUsdc: PRICE,
    })
    expect((await get(on, path, { token: owner.token })).body).toMatchObject({
      invocationId: body.invocationId,
    })
    for (const other of [{ headers: { 'x-credential': sister.token } }, { token: provider.token }]) {
      expect(await get(on, path, other)).toMatchObject({
        status: 404,
        body: { code: 'INVOCATION_NOT_FOUND' },
      })
    }
    expect((await get(on, path)).body).toMatchObject({ code: 'CREDENTIAL_INVALID' })
  })

  test('the usage log of an owner supports paging, filters and CSV', async () => {
    const owner = await ownerWith(on, '1')
    const [agent, other] = [await mint(on, owner), await mint(on, owner)]
    for (const who of [agent, agent, agent, other]) await invoke(on, who, call())
    const first = await get<{ logs: { invocationId: string }[]; nextCursor: string }>(
      on,
      '/usage/logs?limit=3',
      { token: owner.token },
    )
    const rest = await get<{ logs: { invocationId: string }[]; nextCursor: null }>(
      on,
      `/usage/logs?limit=3&cursor=${first.body.nextCursor}`,
      { token: owner.token },
    )
    expect([first.body.logs.length, rest.body.logs.length, rest.body.nextCursor]).toEqual([3, 1, null])
    expect(new Set([...first.body.logs, ...rest.body.logs].map(log => log.invocationId)).size).toBe(4)
    const filtered = await get<{ logs: unknown[] }>(
      on,
      `/usage/logs?credentialId=${other.id}&status=SUCCEEDED`,
      { token: owner.token },
    )
    expect(filtered.body.logs).toHaveLength(1)
    const csv = await fetch(`${on.url}/api/v1/usage/logs`, {
      headers: { authorization: `Bearer ${owner.token}`, accept: 'text/csv' },
    })
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect((await csv.text()).trimEnd().split('\r\n')).toHaveLength(5)
  })
})
