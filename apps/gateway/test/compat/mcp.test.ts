import { formatUsdc, usdc } from '@farebox/money'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { callTool, connectMcp, listPages, namesOf, postMcp, textOf } from '../kit/network/mcp-client.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { balanceOf, mint, ownerWith, type Person, register } from '../kit/world/world.ts'

const PRICE = '0.010000'

let on: TestGateway
let provider: TestProvider
let seller: Person
let owner: Person
let credential: { token: string; id: string }
let client: Client

beforeAll(async () => {
  ;[on, provider] = await Promise.all([startTestGateway(), startProvider()])
  seller = await ownerWith(on, '1')
  owner = await ownerWith(on, '10')
  await offer('echo', PRICE)
  const body = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  await offer('weather', PRICE, { request: { body } })
})
beforeEach(async () => {
  credential = await mint(on, owner)
  client = await connectMcp(on, credential)
  provider.calls.length = 0
  provider.respondWith((call, response) => sendJson(response, 200, { got: JSON.parse(call.body || 'null') }))
})
afterEach(async () => {
  await client.close()
  await on.assertBooks()
})
afterAll(async () => {
  await Promise.all([on.stop(), provider.stop()])
})

/** A service that goes by this name. */
function offer(agentToolName: string, priceUsdc: string, invoke: Record<string, unknown> = {}) {
  return register(on, seller, { targets: [provider.url], priceUsdc, invoke, manifest: { agentToolName } })
}

async function change(serviceId: string, body: Record<string, unknown>): Promise<void> {
  const sent = { method: 'PUT', token: seller.token, body } as const
  expect((await send(on.url, `/api/v1/services/${serviceId}`, sent)).status).toBe(200)
}

/** Returns what the owner spent during some work. */
async function spentBy(work: () => Promise<unknown>): Promise<string> {
  const before = await balanceOf(on, owner)
  await work()
  const after = await balanceOf(on, owner)
  expect(after.held).toBe(before.held)
  return formatUsdc(usdc(before.available - after.available))
}

/** Connects with a credential of its own. */
async function connectWith(limits: Record<string, unknown>, payer = owner): Promise<Client> {
  return connectMcp(on, await mint(on, payer, limits))
}

describe('a call', () => {
  test("returns the provider's answer, charges the price and reports the bill", async () => {
    const spent = await spentBy(async () => {
      const result = await callTool(client, 'echo', { text: 'hello' })

      expect(result.isError).toBeUndefined()
      expect(result.structuredContent).toEqual({ got: { text: 'hello' } })
      expect(textOf(result)).toBe('{"got":{"text":"hello"}}')
      expect(result._meta).toMatchObject({
        'farebox/invocationId': expect.stringMatching(/^inv_/),
        'farebox/chargedUsdc': PRICE,
        'farebox/holdUsdc': PRICE,
        'farebox/replayed': false,
        'farebox/receipt': { credentialId: credential.id, attempts: 1 },
      })
    })
    expect(spent).toBe(PRICE)
    expect(provider.calls).toHaveLength(1)
  })

  test("preserves the provider's text to the last digit", async () => {
    const text = '{"number":12345678901234567890.10,"__proto__":{"a":1}}'
    provider.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    })
    expect(textOf(await callTool(client, 'echo'))).toBe(text)
  })

  test('is the same call by service id, with a query string for the provider', async () => {
    const serviceId = await offer('by-id', PRICE)
    await callTool(client, serviceId, { a: 1 }, { 'farebox/query': { lang: 'de' } })
    expect(provider.calls[0]).toMatchObject({ url: '/?lang=de', body: '{"a":1}' })
  })

  test('with a known key is replayed, even at another price, and charged once', async () => {
    const serviceId = await offer('keyed', PRICE)
    const meta = { 'farebox/idempotencyKey': 'order-1' }
    const spent = await spentBy(async () => {
      const first = await callTool(client, 'keyed', { text: 'once' }, meta)
      await change(serviceId, { pricing: { currency: 'USDC', amount: '0.02' } })
      const second = await callTool(client, 'keyed', { text: 'once' }, meta)
      await change(serviceId, { isActive: false })
      const third = await callTool(client, 'keyed', { text: 'once' }, meta)

      expect(second.structuredContent).toEqual(first.structuredContent)
      expect(second._meta).toEqual({ ...first._meta, 'farebox/replayed': true })
      expect(third).toEqual(second)
    })
    expect(spent).toBe(PRICE)
    expect(provider.calls).toHaveLength(1)

    const other = await callTool(client, 'keyed', { text: 'twice' }, meta)
    expect(other).toMatchObject({ isError: true, structuredContent: { code: 'IDEMPOTENCY_CONFLICT' } })
  })

  test('is made at the live price, unless that is above what the call allows', async () => {
    const serviceId = await offer('dear', '0.06')
    await change(serviceId, { pricing: { currency: 'USDC', amount: '0.05' } })
    const spent = await spentBy(async () => {
      const low = await callTool(client, 'dear', {}, { 'farebox/maxCostUsdc': '0.02' })
      const wrong = await callTool(client, 'dear', {}, { 'farebox/costUsdc': PRICE })
      for (const { structuredContent, isError } of [low, wrong]) {
        expect(isError).toBe(true)
        expect(structuredContent).toMatchObject({
          code: 'PRICE_MISMATCH',
          detail: { currentPriceUsdc: '0.050000' },
        })
      }
      expect(textOf(low)).toBe(
        'PRICE_MISMATCH: dear costs 0.050000 USDC now, but the call allowed 0.020000. Nothing was charged. ' +
          'Call again if the new price is acceptable.',
      )
      const paid = await callTool(client, 'dear', {}, { 'farebox/maxCostUsdc': 0.1 })
      expect(paid._meta).toMatchObject({ 'farebox/chargedUsdc': '0.050000' })
    })
    expect(spent).toBe('0.050000')
    expect(provider.calls).toHaveLength(1)
  })

  test('is settled even if its caller leaves', async () => {
    let answer: () => void = () => undefined
    provider.respondWith((_, response) => {
      answer = () => sendJson(response, 200, { late: true })
    })
    const spent = await spentBy(async () => {
      const leaving = new AbortController()
      const call = client.callTool({ name: 'echo' }, undefined, { signal: leaving.signal })
      await until('the provider has the call', () => provider.calls.length === 1)
      leaving.abort()
      await expect(call).rejects.toThrow()
      await client.close()
      answer()
      await until('nothing is held', async () => (await balanceOf(on, owner)).held === 0n)
    })
    expect(spent).toBe(PRICE)
  })
})

describe('an image or a sound', () => {
  /** Every byte there is, and an odd number of them, so that the base64 is padded. */
  const BYTES = Buffer.from([...Array(256).keys(), 7])

  test.each([
    ['image/png', 'image', 'image/png'],
    ['Image/JPEG; q="1"', 'image', 'image/jpeg'],
    ['audio/mpeg', 'audio', 'audio/mpeg'],
  ])('of type %s is content of type %s, byte for byte, also in replays', async (sent, type, mimeType) => {
    provider.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': sent }).end(BYTES)
    })
    const meta = { 'farebox/idempotencyKey': `media ${sent}` }
    const spent = await spentBy(async () => {
      const result = await callTool(client, 'echo', {}, meta)
      expect(result.content).toEqual([{ type, mimeType, data: BYTES.toString('base64') }])
      expect(result.structuredContent).toBeUndefined()
      expect(result._meta).toMatchObject({ 'farebox/chargedUsdc': PRICE, 'farebox/replayed': false })
      const again = await callTool(client, 'echo', {}, meta)
      expect(again).toEqual({ ...result, _meta: { ...result._meta, 'farebox/replayed': true } })
    })
    expect(spent).toBe(PRICE)
    expect(provider.calls).toHaveLength(1)
  })

  test('that is text, of another type or in JSON is not converted', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    for (const [contentType, body, structured] of [
      ['image/svg+xml', svg, { contentType: 'image/svg+xml', text: svg }],
      ['video/mp4', 'a', { contentType: 'video/mp4', base64: 'YQ==' }],
      ['image/png', '', { contentType: 'image/png', text: '' }],
      ['imagery/png', 'a', { contentType: 'imagery/png', base64: 'YQ==' }],
      [
        'application/json',
        '{"contentType":"image/png","base64":"no base64!"}',
        { contentType: 'image/png', base64: 'no base64!' },
      ],
      [
        'application/json',
        '{"contentType":"image/png","base64":"YQ=="}',
        { contentType: 'image/png', base64: 'YQ==' },
      ],
    ] as const) {
      provider.respondWith((_, response) => {
        response.writeHead(200, { 'content-type': contentType }).end(body)
      })
      const result = await callTool(client, 'echo')
      expect(result.structuredContent).toEqual(structured)
      expect(JSON.parse(textOf(result))).toEqual(structured)
    }
  })
})

describe('progress', () => {
  /** Calls, and holds the provider until there are this many notifications. */
  async function callUntil(notifications: number) {
    const reported: number[] = []
    let answer: () => void = () => undefined
    provider.respondWith((_, response) => {
      answer = () => sendJson(response, 200, { late: true })
    })
    const leaving = new AbortController()
    const result = client.callTool({ name: 'echo' }, undefined, {
      signal: leaving.signal,
      onprogress: ({ progress }) => reported.push(progress),
    })
    await until('the provider has the call', () => provider.calls.length === 1)
    await until('the notifications are there', () => reported.length >= notifications)
    return { reported, result, answer: () => answer(), leave: () => leaving.abort() }
  }

  test('is sent during a long call, always increasing, until the result', async () => {
    const spent = await spentBy(async () => {
      const { reported, result, answer } = await callUntil(2)
      answer()
      expect(await result).toMatchObject({
        structuredContent: { late: true },
        _meta: { 'farebox/chargedUsdc': PRICE },
      })
      expect(reported).toEqual([1, 2])
    })
    expect(spent).toBe(PRICE)
  })

  test('to a caller who cancels and leaves changes nothing: the call is paid once', async () => {
    const spent = await spentBy(async () => {
      const { result, answer, leave } = await callUntil(1)
      leave()
      await expect(result).rejects.toThrow()
      await client.close()
      answer()
      await until('nothing is held', async () => (await balanceOf(on, owner)).held === 0n)
    })
    expect(spent).toBe(PRICE)
  })

  test('is not sent for a quick call or without a token: the answer is JSON', async () => {
    const bearer = { authorization: `Bearer ${credential.token}` }
    const params = (meta: Record<string, unknown>) => ({ name: 'echo', arguments: {}, _meta: meta })
    for (const meta of [{ progressToken: 7 }, {}]) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: params(meta) }
      const { headers, body } = await postMcp(on, message, bearer)
      expect(headers.get('content-type')).toContain('application/json')
      expect(body).toMatchObject({ id: 1, result: { _meta: { 'farebox/chargedUsdc': PRICE } } })
    }
  })
})

describe('farebox_call', () => {
  test('is the same call as that of the tool: same key, same bill', async () => {
    const meta = { 'farebox/idempotencyKey': 'either-way' }
    const spent = await spentBy(async () => {
      const direct = await callTool(client, 'weather', { city: 'Bonn' }, meta)
      const given = { service: 'weather', arguments: { city: 'Bonn' } }
      const again = await callTool(client, 'farebox_call', given, meta)
      expect(again.structuredContent).toEqual(direct.structuredContent)
      expect(again._meta).toEqual({ ...direct._meta, 'farebox/replayed': true })
    })
    expect(spent).toBe(PRICE)
    expect(provider.calls).toHaveLength(1)
  })

  test('takes a maximum cost, and reports errors like a tool', async () => {
    const spent = await spentBy(async () => {
      const given = { service: 'weather', arguments: { city: 'Bonn' } }
      for (const [args, code] of [
        [{ ...given, maxCostUsdc: '0.001' }, 'PRICE_MISMATCH'],
        [{ ...given, maxCostUsdc: '1e3' }, 'INVALID_PAYLOAD'],
        [{ service: 'weather', arguments: { city: 7 } }, 'INVALID_PAYLOAD'],
        [{ ...given, arguments: 'Bonn' }, 'INVALID_PAYLOAD'],
        [{ arguments: {} }, 'INVALID_PAYLOAD'],
        [{ ...given, costUsdc: '1' }, 'INVALID_PAYLOAD'],
      ] as const) {
        const refused = await callTool(client, 'farebox_call', args)
        expect(refused).toMatchObject({ isError: true, structuredContent: { code } })
      }
      for (const service of ['nothing-here', 'farebox_search', 'farebox_call']) {
        await expect(callTool(client, 'farebox_call', { service })).rejects.toMatchObject({ code: -32_602 })
      }
      const paid = await callTool(client, 'farebox_call', { ...given, maxCostUsdc: '0.5' })
      expect(paid._meta).toMatchObject({ 'farebox/chargedUsdc': PRICE })
    })
    expect(spent).toBe(PRICE)
  })

  test('is limited to the allow-list', async () => {
    const bounded = await connectWith({ allowedServices: ['weather'] })
    const refused = await callTool(bounded, 'farebox_call', { service: 'echo', arguments: {} })
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'SERVICE_NOT_ALLOWED' } })
    expect(provider.calls).toHaveLength(0)
    await bounded.close()
  })
})

describe('an error is a result that an agent can act on', () => {
  test('exhausted credit: reports what is left, the price and whom to ask', async () => {
    const poor = await connectWith({ creditLimit: '0.012' })
    await callTool(poor, 'echo')
    const spent = await spentBy(async () => {
      const refused = await callTool(poor, 'echo')
      expect(refused.isError).toBe(true)
      expect(textOf(refused)).toBe(
        'BUDGET_EXHAUSTED: The credential has 0.002000 USDC left, the call needs up to 0.010000. Nothing was charged. ' +
          'Ask the owner for a higher creditLimit, or choose a cheaper tool.',
      )
      expect(refused.structuredContent).toMatchObject({
        code: 'BUDGET_EXHAUSTED',
        detail: { limit: 'credential_credit', remainingUsdc: '0.002000' },
      })
      expect(refused._meta).toMatchObject({ 'farebox/code': 'BUDGET_EXHAUSTED' })
    })
    expect(spent).toBe('0.000000')
    await poor.close()
  })

  test('exhausted calls and balance name their limit', async () => {
    const [once, broke] = [
      await connectWith({ maxCalls: 1 }),
      await connectWith({}, await ownerWith(on, '0.015')),
    ]
    for (const [caller, words] of [
      [once, 'The credential has no calls left. Nothing was charged. Ask the owner for a higher maxCalls.'],
      [broke, 'The balance of the owner has 0.005000 USDC left, the call needs up to 0.010000.'],
    ] as const) {
      expect((await callTool(caller, 'echo')).isError).toBeUndefined()
      const refused = await callTool(caller, 'echo')
      expect(refused.isError).toBe(true)
      expect(textOf(refused)).toContain(words)
      await caller.close()
    }
  })

  test('invalid arguments are named before anything is held', async () => {
    const refused = await callTool(client, 'weather', { city: 7 }, {})
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_PAYLOAD' } })
    expect(textOf(refused)).toContain('arguments.city must be string')

    const malformed = await callTool(client, 'echo', {}, { 'farebox/maxCostUsdc': '1e3' })
    expect(malformed.isError).toBe(true)
    expect(textOf(malformed)).toContain('_meta["farebox/maxCostUsdc"]')
    expect(provider.calls).toHaveLength(0)
  })

  test('a failing provider is reported and not paid', async () => {
    provider.respondWith((_, response) => sendJson(response, 503, { why: 'closed' }))
    const spent = await spentBy(async () => {
      const failed = await callTool(client, 'echo')
      expect(failed.isError).toBe(true)
      expect(textOf(failed)).toBe(
        'UPSTREAM_ERROR: The provider answered 503: {"why":"closed"}. Nothing was charged. ' +
          'Call again with a new idempotency key.',
      )
      expect(failed._meta).toMatchObject({ 'farebox/invocationId': expect.stringMatching(/^inv_/) })
    })
    expect(spent).toBe('0.000000')
  })

  test('the rate limit says when to retry, and counts lists but no free tools', async () => {
    const slow = await connectWith({ rpm: 2 })
    await callTool(slow, 'echo')
    expect((await slow.listTools()).tools.length).toBeGreaterThan(2)
    const refused = await callTool(slow, 'echo')
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'RATE_LIMITED' } })
    expect(refused._meta?.['farebox/retryAfterSeconds']).toBeGreaterThan(0)
    expect(textOf(refused)).toMatch(/Call again in \d+ seconds\.$/)

    await expect(slow.listTools()).rejects.toMatchObject({
      data: { code: 'RATE_LIMITED', detail: { limit: 'rpm', rpm: 2, retryAfterSeconds: expect.any(Number) } },
    })
    expect((await callTool(slow, 'farebox_balance')).isError).toBeUndefined()
    await slow.close()
  })

  test('an unknown tool is a protocol error', async () => {
    for (const name of ['nothing-here', 'Not A Name', '', '__proto__', 'x'.repeat(300)]) {
      const message = expect.stringContaining(`There is no tool ${name.slice(0, 128)}. Find services with`)
      await expect(client.callTool({ name })).rejects.toMatchObject({ code: -32_602, message })
    }
  })
})

test('a credential with an allow-list sees and calls only its tools', async () => {
  const bounded = await connectWith({ allowedServices: ['weather'] })
  const names = (await listPages(bounded)).flatMap(page => namesOf(page.tools))
  expect(names).toEqual(['farebox_search', 'farebox_call', 'farebox_balance', 'weather'])
  const found = await callTool(bounded, 'farebox_search')
  expect(found.structuredContent).toMatchObject({ services: [{ tool: 'weather' }], hasMore: false })

  expect((await callTool(bounded, 'weather', { city: 'Bonn' })).isError).toBeUndefined()
  const refused = await callTool(bounded, 'echo')
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'SERVICE_NOT_ALLOWED' } })
  await bounded.close()
})

test('farebox_balance returns the remaining money and the limit', async () => {
  const payer = await ownerWith(on, '1')
  const caller = await connectWith({ creditLimit: '0.5', maxCalls: 3 }, payer)
  await callTool(caller, 'echo')

  const { structuredContent } = await callTool(caller, 'farebox_balance')
  expect(structuredContent).toMatchObject({
    spendableUsdc: '0.490000',
    callsRemaining: 2,
    credential: { creditRemainingUsdc: '0.490000', spentUsdc: PRICE, heldUsdc: '0.000000', expiresAt: null },
    owner: { availableUsdc: '0.990000', monthlyRemainingUsdc: '999.990000', dailyRemainingUsdc: null },
  })
  await caller.close()
})

test('farebox_balance counts the cap of the credential on one call', async () => {
  const caller = await connectWith({ creditLimit: '0.5', maxCostPerCallUsdc: '0.004' })
  const { structuredContent } = await callTool(caller, 'farebox_balance')
  expect(structuredContent).toMatchObject({
    spendableUsdc: '0.004000',
    credential: { creditRemainingUsdc: '0.500000', maxCostPerCallUsdc: '0.004000' },
  })
  await caller.close()
})

test('farebox_search finds by name and description, with price and arguments', async () => {
  const found = await callTool(client, 'farebox_search', { query: 'weath' })
  expect(found.structuredContent).toMatchObject({
    services: [
      {
        tool: 'weather',
        kind: 'api',
        price: 'A call costs 0.010000 USDC.',
        arguments: { required: ['city'] },
      },
    ],
    hasMore: false,
  })
  const limited = await callTool(client, 'farebox_search', { limit: 1 })
  expect(limited.structuredContent).toMatchObject({ hasMore: true })

  const wrong = await callTool(client, 'farebox_search', { limit: 0 })
  expect(wrong.isError).toBe(true)
  expect(textOf(wrong)).toContain('arguments.limit')
  const misnamed = await callTool(client, 'farebox_search', { querry: 'weather' })
  expect(misnamed.isError).toBe(true)
  expect(textOf(misnamed)).toContain('Did you mean "query"?')
})
