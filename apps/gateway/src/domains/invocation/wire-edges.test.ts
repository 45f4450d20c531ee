import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { get, post } from '../../../test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../../../test/kit/world/world.ts'

const PRICE = '0.010000'

let on: TestGateway
let provider: Person
let owner: Person
let upstream: TestProvider
let service: string

beforeAll(async () => {
  on = await startTestGateway()
  provider = await arrive(on)
  owner = await ownerWith(on, '10')
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

/** JSON text of one value within `levels` objects. */
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** POST /agent/invoke with a body as it is. */
async function invokeText(token: string, body: string, type = 'application/json') {
  const headers = { 'x-credential': token, 'content-type': type }
  const answer = await fetch(`${on.url}/api/v1/agent/invoke`, { method: 'POST', headers, body })
  const { code } = (await answer.json()) as { code?: string }
  return { status: answer.status, code, rateLimit: answer.headers.get('ratelimit') }
}

describe('a request', () => {
  test('counts against the rate limit, even with an unreadable body', async () => {
    const { token } = await mint(on, owner, { rpm: 5 })
    const bodies = [
      ['{"cut', 400, 'INVALID_REQUEST'],
      [`{"x":"${'x'.repeat(1_100_000)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
      ['{}', 400, 'INVALID_PAYLOAD'],
      [`{"payload":{"body":${nested(100_000)}}}`, 400, 'INVALID_REQUEST'],
    ] as const
    for (const [index, [body, status, code]] of bodies.entries()) {
      const rateLimit = expect.stringContaining(`"rpm";r=${4 - index};`)
      expect(await invokeText(token, body)).toEqual({ status, code, rateLimit })
    }
    expect(await invokeText(token, 'a=b', 'text/plain')).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
      rateLimit: expect.stringContaining('r=0;'),
    })
    expect(await invokeText(token, '{"cut')).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  })

  test('treats null fields as omitted', async () => {
    const agent = await mint(on, owner)
    const nulls = { idempotencyKey: null, maxCostUsdc: null, responseMode: null, payload: null }
    expect((await invoke(on, agent, call(nulls))).body.status).toBe('SUCCEEDED')
    expect(await invoke(on, agent, call({ costUsdc: null }))).toMatchObject({
      status: 422,
      body: { code: 'PRICE_MISMATCH', detail: { expectedPriceUsdc: null, currentPriceUsdc: PRICE } },
    })
    const keyed = { idempotencyKey: 'nulls', payload: { body: { q: 1 } } }
    await invoke(on, agent, call(keyed))
    const again = await invoke(on, agent, call({ ...keyed, maxCostUsdc: null }))
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  test('keeps its query parameters when the target has a fragment', async () => {
    const agent = await mint(on, owner)
    const targets = [`${upstream.url}path?own=1#part`]
    const withFragment = await register(on, provider, { targets, priceUsdc: PRICE })
    await invoke(on, agent, call({ serviceId: withFragment, payload: { query: { q: 2 } } }))
    expect(upstream.calls[0]?.url).toBe('/path?own=1&q=2')
  })

  test('may use the former name of a service that is allowed under that name', async () => {
    const agentToolName = `name-of-${service.slice(-8)}`
    const named = await register(on, provider, {
      targets: [upstream.url],
      priceUsdc: PRICE,
      manifest: { agentToolName },
    })
    const agent = await mint(on, owner, { allowedServices: [agentToolName] })
    const renamed = await fetch(`${on.url}/api/v1/services/${named}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${provider.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agentToolName: `${agentToolName}-2` }),
    })
    expect(renamed.status).toBe(200)
    expect((await invoke(on, agent, call({ serviceId: agentToolName }))).body.status).toBe('SUCCEEDED')
    expect((await invoke(on, agent, call())).body.code).toBe('SERVICE_NOT_ALLOWED')
  })
})

describe('a response', () => {
  const answerWith = (text: string) =>
    upstream.respondWith((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    )

  test('is replayed with the full precision of its numbers', async () => {
    const agent = await mint(on, owner)
    answerWith('{"n":12345678901234567890.123456789}')
    const { invocationId } = (await invoke(on, agent, call())).body
    const again = await fetch(`${on.url}/api/v1/agent/invocations/${invocationId}`, {
      headers: { 'x-credential': agent.token },
    })
    const text = await again.text()
    expect(text).toContain('"result":{"n":12345678901234567890.123456789}')
    expect(JSON.parse(text)).toMatchObject({ invocationId, status: 'SUCCEEDED', holdUsdc: PRICE })
  })

  test('is the JSON behind a byte order mark, of any length', async () => {
    const agent = await mint(on, owner)
    for (const text of ['{"n":1}', `{"n":1,"x":"${'x'.repeat(20_000)}"}`]) {
      answerWith(`\ufeff${text}`)
      expect((await invoke(on, agent, call())).body.result).toEqual(JSON.parse(text))
    }
  })

  test('is readable with its credential, even alongside the session of another wallet', async () => {
    const agent = await mint(on, owner)
    answerWith('{"n":1}')
    const { invocationId } = (await invoke(on, agent, call())).body
    const stranger = await arrive(on)
    const read = (headers: Record<string, string>) =>
      get(on, `/agent/invocations/${invocationId}`, { token: stranger.token, headers })
    expect(await read({ 'x-credential': agent.token })).toMatchObject({ status: 200, body: { invocationId } })
    expect(await read({})).toMatchObject({ status: 404, body: { code: 'INVOCATION_NOT_FOUND' } })
  })

  test('that is nested too deeply is rejected without a charge', async () => {
    const agent = await mint(on, owner)
    answerWith(nested(20_000))
    const { body } = await invoke(on, agent, call())
    expect(body).toMatchObject({ code: 'UPSTREAM_ERROR', detail: { reason: 'too_large' } })
    const reported = await get(on, `/agent/invocations/${body.detail.invocationId}`, {
      headers: { 'x-credential': agent.token },
    })
    expect(reported.body).toMatchObject({ status: 'FAILED_FINAL', chargedUsdc: '0.000000' })
  })
})

describe('an invalid identifier', () => {
  test('of an invocation returns INVOCATION_NOT_FOUND', async () => {
    for (const id of ['%00', 'a'.repeat(100), 'inv_none']) {
      expect(await get(on, `/agent/invocations/${id}`, { token: owner.token })).toMatchObject({
        status: 404,
        body: { code: 'INVOCATION_NOT_FOUND' },
      })
    }
  })

  test('in a usage log filter is rejected', async () => {
    for (const filter of ['serviceId=%00', 'credentialId=%00']) {
      expect(await get(on, `/usage/logs?${filter}`, { token: owner.token })).toMatchObject({
        status: 400,
        body: { code: 'INVALID_REQUEST' },
      })
    }
  })
})

describe('the usage log', () => {
  test('accepts an agentToolName as a service id', async () => {
    const agent = await mint(on, owner)
    await invoke(on, agent, call())
    const shown = await get<{ service: { agentToolName: string } }>(on, `/services/${service}`)
    type Logs = { logs: { serviceId: string }[] }
    for (const reference of [service, shown.body.service.agentToolName]) {
      const { body } = await get<Logs>(on, `/usage/logs?serviceId=${reference}`, { token: owner.token })
      expect(body.logs.map(log => log.serviceId)).toEqual([service])
    }
    const nobodys = await get<Logs>(on, '/usage/logs?serviceId=no-such-name', { token: owner.token })
    expect(nobodys.body.logs).toEqual([])
  })

  test('returns CSV with a link to the next page that keeps the filters', async () => {
    const agent = await mint(on, owner)
    for (let calls = 0; calls < 3; calls += 1) await invoke(on, agent, call())
    const lines: string[] = []
    let path: string | undefined = `/api/v1/usage/logs?limit=2&serviceId=${service}`
    while (path !== undefined) {
      const headers = { authorization: `Bearer ${owner.token}`, accept: 'text/csv' }
      const page: Response = await fetch(on.url + path, { headers })
      lines.push(...(await page.text()).trim().split('\r\n').slice(1))
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
    }
    expect(lines).toHaveLength(3)
    expect(new Set(lines).size).toBe(3)
  })
})

test('a refused call returns the request id of the caller in its error body', async () => {
  const agent = await mint(on, owner)
  const { body } = await post<{ requestId: string }>(on, '/agent/invoke', {
    headers: { 'x-credential': agent.token, 'x-request-id': 'of the caller' },
    body: call({ costUsdc: '9' }),
  })
  expect(body.requestId).toBe('of the caller')
})
