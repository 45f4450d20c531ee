import { formatUsdc, parseUsdc, usdc } from '@farebox/money'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, invoke } from '../kit/world/world.ts'
import { AMPLE, PRICE, startTraders, TOKEN_PRICES, type Traders } from './traders.ts'

// An owner, its agent and a provider trade, by the names that the interface has for things, and no others. The tests
// are one story, and run in their order.

const DEPOSIT = 20

let market: Traders
beforeAll(async () => {
  market = await startTraders()
})
afterAll(() => market.stop())

/** Services, once they are registered. */
const known = { api: '', llm: '' }

describe('an owner', () => {
  test('gets no credential before it has a consumer balance', async () => {
    const refused = await market.issue(AMPLE)
    expect([refused.status, refused.body]).toMatchObject([402, { code: 'INSUFFICIENT_BALANCE' }])
  })

  test('deposits on the chain, registers the transaction, confirms it and is credited', async () => {
    const txHash = await market.on.chain.deposit(market.owner.account.address, parseUsdc(String(DEPOSIT)))
    const body = { tx_hash: txHash, amount: DEPOSIT }
    const opened = await market.post<{ intent: { id: string } }>(
      market.owner,
      '/balance/deposit/intent',
      body,
    )
    expect([opened.status, opened.body]).toMatchObject([
      200,
      { intent: { id: expect.any(String), status: 'pending', tx_hash: txHash } },
    ])
    const again = await market.post(market.owner, '/balance/deposit/intent', body)
    expect([again.status, again.body.code]).toEqual([409, 'DUPLICATE_TX_HASH'])
    const confirmed = await market.post(
      market.owner,
      `/balance/deposit/intents/${opened.body.intent.id}/confirm`,
      {},
    )
    expect([confirmed.status, confirmed.body]).toMatchObject([200, { intent: { status: 'credited' } }])
    const balance = await market.ask(market.owner, '/api/v1/balance')
    expect(balance.body.consumer_available_balance).toBe('20.000000')
  })

  test('mints a credential with a token, an id and a name, within its spending policy', async () => {
    const issued = await market.issue(AMPLE)
    expect([issued.status, issued.body]).toMatchObject([
      200,
      {
        credential: {
          token: expect.any(String),
          credential_id: expect.any(String),
          name: 'research agent',
        },
      },
    ])
    const refused = await market.issue({ ...AMPLE, creditLimit: 1_000.5 })
    expect([refused.status, refused.body.code]).toEqual([422, 'LIMIT_EXCEEDED'])
  })
})

describe('a provider', () => {
  test('registers a service at a fixed price with every field, and sees them again', async () => {
    const answer = await market.post<{ serviceId: string }>(
      market.provider,
      '/services',
      market.apiManifest(),
    )
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { serviceId: expect.any(String), status: 'active' },
    ])
    known.api = answer.body.serviceId
    const { body } = await market.ask(market.provider, `/api/v1/services/${known.api}`)
    const { targets, ...invoked } = market.apiManifest().invoke
    expect(body.service).toMatchObject({
      ...market.apiManifest(),
      invoke: { ...invoked, targets: [expect.objectContaining(targets[0])] },
      serviceId: known.api,
      serviceKind: 'api',
      priceModel: 'fixed',
      isActive: true,
      runtimeAvailable: true,
    })
    const taken = await market.post(market.provider, '/services', market.apiManifest())
    expect([taken.status, taken.body.code]).toEqual([409, 'DUPLICATE_SERVICE_ID'])
    for (const missing of [
      { ...market.apiManifest(), serviceName: undefined },
      { ...market.apiManifest(), invoke: {} },
    ]) {
      const refused = await market.post(market.provider, '/services', missing)
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_MANIFEST'])
    }
  })

  test('registers a model with prices by the token', async () => {
    const answer = await market.post<{ serviceId: string }>(
      market.provider,
      '/services',
      market.llmManifest(),
    )
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'active' }])
    known.llm = answer.body.serviceId
  })

  test('is found by everyone: discovery and registry have all that a caller needs', async () => {
    const discovered = await market.ask<unknown[]>(null, '/api/v1/services/discover?limit=10&search_query=')
    const { summary, serviceName } = market.apiManifest()
    const { invoke: _, agentToolName: __, ...llm } = market.llmManifest()
    const api = { serviceId: known.api, serviceName, serviceKind: 'api', priceModel: 'fixed', summary }
    const pricing = { amount: PRICE, currency: 'USDC' }
    expect(discovered.body).toHaveLength(2)
    expect(discovered.body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...api, pricing }),
        expect.objectContaining({ ...llm, serviceId: known.llm }),
      ]),
    )
    const registry = await market.ask(
      null,
      '/marketplace/registry.json?q=forecast&tag=weather&page=1&pageSize=5',
    )
    expect(registry.body).toMatchObject({
      status: 'success',
      query: { q: 'forecast', tag: 'weather', page: 1, pageSize: 5 },
      pagination: {
        page: 1,
        pageSize: 5,
        total: 1,
        totalPages: 1,
        hasNextPage: false,
        hasPreviousPage: false,
      },
      services: [
        {
          serviceId: known.api,
          serviceName,
          summary,
          pricing,
          runtimeAvailable: true,
          tags: ['weather', 'climate'],
        },
      ],
    })
  })

  test.each([
    ['name', 'q=Forecast'],
    ['summary', 'q=hourly'],
    ['endpoint', 'q=127.0.0.1'],
    ['role', 'q=meteorologist'],
    ['tag', 'q=climate'],
    ['tag alone', 'tag=climate'],
  ])('is found in the registry by its %s (%s)', async (_, query) => {
    const { body } = await market.ask<{ services: { serviceId: string }[] }>(
      null,
      `/marketplace/registry.json?${query}`,
    )
    expect(body.services.map(({ serviceId }) => serviceId)).toContain(known.api)
  })

  test('reads what the probes of its targets found', async () => {
    const path = `/api/v1/services/${known.api}/health/history?limitPerTarget=1&hours=1`
    const { body } = await market.ask<{ targets: { history: { latencyMs: number; checkedAt: string }[] }[] }>(
      market.provider,
      path,
    )
    expect(body).toMatchObject({
      status: 'success',
      serviceId: known.api,
      targets: [{ url: market.upstream.url, history: [{ status: 'healthy' }] }],
    })
    const [probe] = body.targets[0]?.history ?? []
    expect(Number.isInteger(probe?.latencyMs)).toBe(true)
    expect(new Date(probe?.checkedAt ?? '').toISOString()).toBe(probe?.checkedAt)
    const strangers = await market.ask(market.owner, path)
    expect([strangers.status, strangers.body.code]).toEqual([404, 'SERVICE_NOT_FOUND'])
  })

  test('is shown a secret once', async () => {
    const body = { name: 'server', rpm: 60, creditLimit: '10', resetInterval: 'daily' }
    const issued = await market.post<{ secret: { secretKey: string } }>(
      market.provider,
      '/secrets/provider/issue',
      body,
    )
    expect([issued.status, issued.body]).toMatchObject([
      200,
      {
        status: 'success',
        secret: {
          id: expect.any(String),
          name: 'server',
          secretKey: expect.any(String),
          maskedKey: expect.any(String),
          status: 'active',
        },
      },
    ])
    const listed = await market.ask(market.provider, '/api/v1/secrets/provider/list')
    expect(listed.body.secrets).toMatchObject([{ name: 'server', status: 'active' }])
    expect(JSON.stringify(listed.body)).not.toContain(issued.body.secret.secretKey)
  })
})

/** Hold of a call with an explicit cap. */
const holdOf = (cap: { maxCostUsdc?: string }) =>
  cap.maxCostUsdc === undefined ? {} : { holdUsdc: cap.maxCostUsdc }

/** Cost of the model's tokens, rounded up once. */
const costOf = ({ input, output }: { input: number; output: number }) =>
  formatUsdc(usdc(BigInt(Math.ceil(input * TOKEN_PRICES.input + output * TOKEN_PRICES.output))))

describe('an agent', () => {
  test('calls a fixed price by the price that it saw, and is not charged another', async () => {
    const { agent } = await market.issue(AMPLE)
    const body = {
      serviceId: known.api,
      idempotencyKey: 'first',
      costUsdc: PRICE,
      payload: { body: { q: 1 } },
    }
    const answer = await invoke(market.on, agent, body)
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { invocationId: expect.any(String), status: 'SUCCEEDED', chargedUsdc: PRICE, result: { number: 1 } },
    ])
    expect(market.upstream.calls.at(-1)?.body).toBe('{"q":1}')
    const conflict = await invoke(market.on, agent, { ...body, payload: { body: { q: 2 } } })
    expect([conflict.status, conflict.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    const mismatch = await invoke(market.on, agent, {
      ...body,
      idempotencyKey: 'second',
      costUsdc: '0.040000',
    })
    expect([mismatch.status, mismatch.body.code]).toEqual([422, 'PRICE_MISMATCH'])
    expect(market.upstream.calls).toHaveLength(1)
  })

  test('calls a model without a price: a hold is taken, the usage charged and the rest released', async () => {
    const { agent } = await market.issue(AMPLE)
    const payload = {
      body: { model: 'm', messages: [{ role: 'user', content: 'What is the fare?' }], max_tokens: 40 },
    }
    for (const [cap, preAuthMode] of [
      [{}, 'auto'],
      [{ maxCostUsdc: '0.004000' }, 'explicit'],
    ] as const) {
      const before = await balanceOf(market.on, market.owner)
      const { status, body } = await invoke(market.on, agent, { serviceId: known.llm, payload, ...cap })
      const { input, output } = market.model.call().tokens ?? { input: 0, output: 0 }
      const charge = costOf({ input, output })
      expect([status, body]).toMatchObject([
        200,
        {
          invocationId: expect.any(String),
          status: 'SUCCEEDED',
          chargedUsdc: charge,
          usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
          gateway: { priceModel: 'token_metered', chargedUsdc: charge, preAuthMode, ...holdOf(cap) },
          result: { object: 'chat.completion' },
        },
      ])
      const { holdUsdc, releasedUsdc } = (body as unknown as { gateway: Record<string, string> }).gateway
      expect(parseUsdc(releasedUsdc ?? '')).toBe(parseUsdc(holdUsdc ?? '') - parseUsdc(charge))
      const after = await balanceOf(market.on, market.owner)
      expect([before.available - after.available, after.held]).toEqual([parseUsdc(charge), 0n])
    }
    const large = { body: { ...payload.body, max_tokens: 100_000 } }
    const refused = await invoke(market.on, agent, { serviceId: known.llm, payload: large })
    expect([refused.status, refused.body.code]).toEqual([422, 'LLM_AUTO_HOLD_LIMIT_EXCEEDED'])
  })

  test.each([
    ['maxCalls', { ...AMPLE, maxCalls: 1 }, 402, 'BUDGET_EXHAUSTED'],
    ['creditLimit', { ...AMPLE, creditLimit: 0.05 }, 402, 'BUDGET_EXHAUSTED'],
    ['rpm', { ...AMPLE, rpm: 1 }, 429, 'RATE_LIMITED'],
  ])('is stopped by the %s of its credential', async (_, limits, status, code) => {
    const { agent } = await market.issue(limits)
    const body = { serviceId: known.api, costUsdc: PRICE, payload: { body: {} } }
    expect((await invoke(market.on, agent, body)).status).toBe(200)
    const refused = await invoke(market.on, agent, body)
    expect([refused.status, refused.body]).toMatchObject([status, { code, message: expect.any(String) }])
  })

  test("receives the provider's failure, and pays nothing", async () => {
    const { agent } = await market.issue(AMPLE)
    const before = await balanceOf(market.on, market.owner)
    market.upstream.respondWith((_, response) => response.writeHead(500).end('{}'))
    const failed = await invoke(market.on, agent, {
      serviceId: known.api,
      costUsdc: PRICE,
      payload: { body: {} },
    })
    expect([failed.status, failed.body.code]).toEqual([502, 'UPSTREAM_ERROR'])
    expect(await balanceOf(market.on, market.owner)).toEqual(before)
  })
})
