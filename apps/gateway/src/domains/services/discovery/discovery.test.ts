import type { RegistryAnswer, SearchAnswer } from '@farebox/wire/discovery'
import type { ServiceSummary } from '@farebox/wire/services'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codePoint } from '../../../../test/kit/code-point.ts'
import { startTestGateway, type TestGateway } from '../../../../test/kit/gateway/test-gateway.ts'
import { type Answer, post, send } from '../../../../test/kit/network/http.ts'
import { startTarget, type TestTarget } from '../../../../test/kit/provider/test-target.ts'
import { llmManifestOf, manifestOf } from '../../../../test/kit/world/manifests.ts'
import { arrive, mint, ownerWith, type Person } from '../../../../test/kit/world/world.ts'

let on: TestGateway
let target: TestTarget
let provider: Person
let owner: Person
let credential: { token: string }
/** By tool name. */
const ids: Record<string, string> = {}

const MARKET = [
  manifest(
    'weather',
    { serviceName: 'Weather Forecast', summary: 'Hourly forecasts for any place.' },
    '0.05',
    ['weather', 'Climate'],
  ),
  manifest('rain', { serviceName: 'Rain Radar', summary: 'Weather maps of the last hour.' }, '0.01', [
    'weather',
  ]),
  manifest(
    'translate',
    { serviceName: 'OpenTranslate', summary: 'Translates texts between 40 languages.' },
    '0.002',
    ['language'],
  ),
  manifest(
    'ocr',
    {
      serviceName: 'Übersicht OCR',
      summary: 'Reads texts from images.',
      description: 'Café menus. 天気予報 and 🚀 too.',
    },
    '0.2',
    ['image', 'language'],
  ),
  manifest(
    'geo',
    {
      serviceName: 'Geocoder',
      summary: 'Coordinates of addresses.',
      providerProfile: { role: 'cartographer', roles: ['surveyor', { no: 'text' }, 7] },
    },
    '0',
    ['maps'],
  ),
  llmManifestOf('', {
    agentToolName: 'small-model',
    serviceName: 'Small Model',
    summary: 'Writes on.',
    tags: ['text'],
  }),
] as const

function manifest(agentToolName: string, about: object, amount: string, tags: string[]): object {
  return manifestOf('', { agentToolName, ...about, tags, pricing: { currency: 'USDC', amount } })
}

beforeAll(async () => {
  ;[on, target] = await Promise.all([
    // Slow probes on a busy machine do not matter here.
    startTestGateway({ env: { PROBE_INTERVAL_SECONDS: '86400' } }),
    startTarget(),
  ])
  ;[provider, owner] = await Promise.all([arrive(on), ownerWith(on, '1')])
  credential = await mint(on, owner)
  for (const each of MARKET) await offer(each)
})
afterAll(async () => {
  await target.stop()
  await on.stop()
})

async function offer(given: object, by = provider): Promise<string> {
  const method = 'serviceKind' in given ? {} : { method: 'POST' }
  const body = { ...given, invoke: { ...method, targets: [{ url: target.url }] } }
  const answer = await post<{ serviceId: string; agentToolName: string }>(on, '/services', {
    token: by.token,
    body,
  })
  expect(answer.body).toMatchObject({ status: 'active' })
  ids[answer.body.agentToolName] = answer.body.serviceId
  await on.sql(
    `update service_targets set is_healthy = true, next_probe_at = 'infinity' where service_id = $1`,
    [answer.body.serviceId],
  )
  return answer.body.serviceId
}

const discover = async (query: string) =>
  (
    await send<ServiceSummary[]>(
      on.url,
      `/api/v1/services/discover?search_query=${encodeURIComponent(query)}`,
    )
  ).body
const registry = (query = '', headers = {}) =>
  send<RegistryAnswer>(on.url, `/marketplace/registry.json${query}`, { headers })
const search = (body: unknown, by = credential): Promise<Answer<SearchAnswer & { code?: string }>> =>
  post(on, '/agent/discovery/search', { headers: { 'x-credential': by.token }, body })
const found = async (query: string) => (await discover(query)).map(({ agentToolName }) => agentToolName)
const searched = async (body: object) =>
  (await search({ pageSize: 100, ...body })).body.results.map(({ agentToolName }) => agentToolName)

describe('a query', () => {
  test.each([
    ['names, in any case', 'WEATHER FORECAST', ['weather']],
    ['prefixes of words', 'weath', ['weather', 'rain']],
    ['inflected words', 'forecasting', ['weather']],
    ['words within names', 'translate', ['translate']],
    ['words with or without accents', 'ubersicht', ['ocr']],
    ['', 'café', ['ocr']],
    ['words in any script', '天気', ['ocr']],
    ['characters that are not words', '🚀', ['ocr']],
    ['tags', 'climate', ['weather']],
    ['words of a provider’s roles', 'cartographer', ['geo']],
    ['', 'surveyor', ['geo']],
    ['misspelt words', 'wether forcast', ['weather']],
    ['', 'trnslate', ['translate']],
    ['', 'goecoder', ['geo']],
    ['most of several words', 'translate texts with an unheardof robot languages', ['translate']],
    ['nothing for an unknown word', 'zzyzx', []],
    ['nothing for one of two words', 'weather zzyzx', []],
    ['nothing for unmatched characters', '%_%', []],
  ])('finds %s: %s', async (_, query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('finds hosts and paths of targets, and never a possible key in them', async () => {
    expect(await found('127.0.0.1')).toHaveLength(MARKET.length)
    expect(await found('call')).toHaveLength(MARKET.length)
    const keyed = await startTarget()
    const url = `${keyed.origin}/v2/route-planner/T0secret1/geheimnis0x/SECRETPATH?key=verysecret`
    const body = {
      ...manifest('keyed', { serviceName: 'Keyed' }, '0.1', []),
      invoke: { method: 'POST', targets: [{ url }] },
    }
    await post(on, '/services', { token: provider.token, body })
    expect((await registry('?q=planner')).body.services).toMatchObject([{ agentToolName: 'keyed' }])
    for (const query of ['secretpath', 'verysecret', 'secretpth', 'geheimnis0x', 'T0secret1'])
      expect(await found(query)).toEqual([])
    expect((await registry('?q=verysecret')).body.pagination.total).toBe(0)
    await keyed.stop()
    await on.sql(`update services set is_active = false where agent_tool_name = 'keyed'`)
  })

  test('ranks a whole name before all others', async () => {
    const by = await arrive(on)
    for (const serviceName of ['Echo Echo Chamber', 'Echo', 'Better Echo'])
      await offer(
        manifestOf('', { serviceName, agentToolName: `n-${serviceName.length}`, summary: 'Echo.' }),
        by,
      )
    expect((await found('echo'))[0]).toBe('n-4')
    await on.sql(`update services set is_active = false where agent_tool_name like 'n-%'`)
  })

  test('finds a service at once by its new words after a change, and no longer by the old', async () => {
    const id = await offer(manifest('changing', { serviceName: 'Quicksilver' }, '0.1', []))
    expect(await found('quicksilver')).toEqual(['changing'])
    await send(on.url, `/api/v1/services/${id}`, {
      method: 'PUT',
      token: provider.token,
      body: { serviceName: 'Slowgold' },
    })
    expect(await found('quicksilver')).toEqual([])
    expect(await found('slowgold')).toEqual(['changing'])
    expect(await found('slowgolt')).toEqual(['changing'])
    await send(on.url, `/api/v1/services/${id}`, {
      method: 'PUT',
      token: provider.token,
      body: { isActive: false },
    })
    expect(await found('slowgold')).toEqual([])
  })
})

describe('POST /agent/discovery/search', () => {
  test('returns a page of summaries, under both names, with their ratings', async () => {
    const { body, status, headers } = await search({ query: 'weather', pageSize: 1 })
    expect(status).toBe(200)
    expect(body).toEqual({
      requestId: headers['x-request-id'],
      count: 1,
      page: 1,
      pageSize: 1,
      totalCount: 2,
      hasMore: true,
      results: body.services,
      services: [
        expect.objectContaining({
          serviceId: ids.weather,
          agentToolName: 'weather',
          serviceKind: 'api',
          priceModel: 'fixed',
          status: 'active',
          runtimeAvailable: true,
          tags: ['weather', 'Climate'],
          pricing: { amount: '0.050000', currency: 'USDC' },
          typicalPriceUsdc: '0.050000',
          successRate: null,
          latencyMs: null,
        }),
      ],
    })
    expect(headers.ratelimit).toMatch(/^"searches";r=\d+;t=\d+$/)
  })

  test('repeats the prices of models inside pricing', async () => {
    const { results } = (await search({ query: 'small model' })).body
    expect(results[0]).toMatchObject({
      serviceKind: 'llm',
      inputPricePer1MTokensUsdc: '3.000000',
      outputPricePer1MTokensUsdc: '15.000000',
      pricing: {
        inputPricePer1MTokensUsdc: '3.000000',
        outputPricePer1MTokensUsdc: '15.000000',
        currency: 'USDC',
      },
      // 1,000 tokens in and 500 out.
      typicalPriceUsdc: '0.010500',
    })
  })

  test('needs no body, and treats null and empty text as absent', async () => {
    const all = (await search(undefined)).body
    expect(all).toMatchObject({ page: 1, pageSize: 20, totalCount: MARKET.length, hasMore: false })
    const { requestId: _, ...same } = (
      await search({ query: null, tags: null, sort: null, serviceKind: null, maxPriceUsdc: null })
    ).body
    expect(all).toMatchObject(same)
    const blank = { query: '', sort: '', serviceKind: '', llmDialect: '', maxPriceUsdc: '' }
    const { requestId: __, ...alike } = (await search(blank)).body
    expect(all).toMatchObject(alike)
  })

  test('sorts by the cost of a typical call, across pricing models', async () => {
    expect(await searched({ sort: 'lowest_price' })).toEqual([
      'geo',
      'translate',
      'rain',
      'small-model',
      'weather',
      'ocr',
    ])
  })

  test.each([
    ['tags', { tags: ['weather'] }, ['rain', 'weather']],
    ['several tags, in any case', { tags: ['WEATHER', 'climate'] }, ['weather']],
    ['a partial tag', { tags: ['weath'] }, []],
    ['a kind', { serviceKind: 'llm' }, ['small-model']],
    ['a dialect', { llmDialect: 'anthropic' }, []],
    ['a price', { maxPriceUsdc: '0.0105' }, ['geo', 'rain', 'small-model', 'translate']],
    ['a price of zero', { maxPriceUsdc: 0 }, ['geo']],
    ['a success rate, which no service has yet', { minSuccessRate: 0 }, []],
    ['a latency, which no service has yet', { maxLatencyMs: 120_000 }, []],
    ['a text and a tag', { query: 'texts', tags: ['language'] }, ['ocr', 'translate']],
  ])('is narrowed by %s', async (_, body, expected) => {
    expect((await searched(body)).toSorted()).toEqual(expected)
  })

  test('finds the services that the credential may call, by id or by name', async () => {
    const bounded = await mint(on, owner, { allowedServices: ['rain', ids.geo] })
    const { body } = await search({}, bounded)
    expect(body.results.map(({ agentToolName }) => agentToolName).toSorted()).toEqual(['geo', 'rain'])
    expect(body.totalCount).toBe(2)
  })

  test.each([
    [
      { page: -3, pageSize: 1e9 },
      { page: 1, pageSize: 100 },
    ],
    [
      { page: '2', pageSize: '0' },
      { page: 2, pageSize: 1 },
    ],
    [
      { page: 9e15, pageSize: 5 },
      { page: 1_000_000, pageSize: 5, count: 0, hasMore: false },
    ],
  ])('clamps %j', async (body, expected) => {
    expect((await search(body)).body).toMatchObject(expected)
  })

  test.each([
    { page: 'abc' },
    { page: 1.5 },
    { pageSize: {} },
    { sort: 'cheapest' },
    { query: 7 },
    { query: 'a\u0000b' },
    { query: '\ud800' },
    { query: 'x'.repeat(501) },
    { tags: 'weather' },
    { tags: Array(21).fill('a') },
    { tags: [''] },
    { tags: ['x'.repeat(41)] },
    { maxPriceUsdc: '-1' },
    { minSuccessRate: 1.1 },
    { maxLatencyMs: -1 },
    { serviceKind: 'other' },
    { llmDialect: 'other' },
    [],
    'text',
  ])('INVALID_REQUEST for %j', async body => {
    expect(await search(body)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
  })

  test('requires an agent credential: 401 without, with a revoked one, and with a wallet’s session', async () => {
    const refusal = (code: string) => ({ status: 401, body: { code } })
    expect(await post(on, '/agent/discovery/search', { body: {} })).toMatchObject(
      refusal('CREDENTIAL_INVALID'),
    )
    expect(await post(on, '/agent/discovery/search', { token: owner.token, body: {} })).toMatchObject(
      refusal('CREDENTIAL_INVALID'),
    )
    const revoked = await mint(on, owner)
    await post(on, `/credentials/agent/${revoked.id}/revoke`, { token: owner.token, body: {} })
    expect(await search({}, revoked)).toMatchObject(refusal('CREDENTIAL_INACTIVE'))
    const other = await ownerWith(on, '1')
    const theirs = await mint(on, other)
    await on.sql('update wallets set suspended_at = now() where address = $1', [
      other.account.address.toLowerCase(),
    ])
    expect(await search({}, theirs)).toMatchObject({ status: 403, body: { code: 'WALLET_SUSPENDED' } })
  })

  test('takes JSON up to the request limit', async () => {
    const headers = { 'x-credential': credential.token }
    const ask = (type: string, body: string) =>
      fetch(`${on.url}/api/v1/agent/discovery/search`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body,
      })
    expect((await ask('text/plain', '{}')).status).toBe(415)
    expect((await ask('application/json', `{"query":"${'x'.repeat(1_100_000)}"}`)).status).toBe(413)
  })
})

describe('GET /marketplace/registry.json', () => {
  test('wraps a page as the interface specifies', async () => {
    const { body, headers } = await registry('?q=weather&tag=weather&page=1&pageSize=1')
    expect(body).toMatchObject({
      status: 'success',
      query: { q: 'weather', tag: 'weather', page: 1, pageSize: 1 },
      pagination: {
        page: 1,
        pageSize: 1,
        total: 2,
        totalPages: 2,
        hasNextPage: true,
        hasPreviousPage: false,
      },
    })
    expect(body.services).toHaveLength(1)
    expect(body.services[0]).toMatchObject({
      serviceId: ids.weather,
      serviceName: 'Weather Forecast',
      summary: 'Hourly forecasts for any place.',
      pricing: { currency: 'USDC', amount: '0.050000' },
      runtimeAvailable: true,
      tags: ['weather', 'Climate'],
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
    })
  })

  test('returns ten per page, newest first, and marks the last page', async () => {
    const { body } = await registry()
    expect(body.query).toEqual({ q: '', tag: '', page: 1, pageSize: 10 })
    expect(body.services.map(({ agentToolName }) => agentToolName)[0]).toBe('small-model')
    const beyond = (await registry('?page=99')).body
    expect(beyond.pagination).toEqual({
      page: 99,
      pageSize: 10,
      total: MARKET.length,
      totalPages: 1,
      hasNextPage: false,
      hasPreviousPage: true,
    })
    expect(beyond.services).toEqual([])
  })

  test('returns 304 for a current ETag, until the page changes', async () => {
    const first = await registry('?q=ocr')
    const { etag = '' } = first.headers
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    expect(first.headers['cache-control']).toBe('public, max-age=5')
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(`${on.url}/marketplace/registry.json?q=ocr`, {
        headers: { 'if-none-match': given },
      })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
      expect(again.headers.get('cache-control')).toBe('public, max-age=5')
    }
    const body = { summary: 'Reads texts from photographs.' }
    await send(on.url, `/api/v1/services/${ids.ocr}`, { method: 'PUT', token: provider.token, body })
    const changed = await registry('?q=ocr', { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.headers.etag).not.toBe(etag)
    expect((await registry('?q=ocr&page=1')).headers.etag).toBe(changed.headers.etag)
  })

  test.each([
    ['page=-1&pageSize=0', { page: 1, pageSize: 1 }],
    ['page=0&pageSize=1000', { page: 1, pageSize: 100 }],
    ['page=&pageSize=&q=&tag=', { page: 1, pageSize: 10 }],
    ['page=99999999999999999999', { page: 1_000_000, pageSize: 10 }],
  ])('clamps %s', async (query, expected) => {
    expect((await registry(`?${query}`)).body.query).toMatchObject(expected)
  })

  test.each([
    'page=abc',
    'page=1.5',
    'page=1e3',
    'pageSize=ten',
    'page=1&page=2',
    'q=a&q=b',
    'tag=a&tag=b',
    'q=%00',
    'tag=%00',
    `q=${'x'.repeat(201)}`,
    `tag=${'x'.repeat(41)}`,
  ])('INVALID_REQUEST for %s', async query => {
    expect(await registry(`?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
  })

  test('filters by a whole tag, in any case', async () => {
    const total = async (tag: string) => (await registry(`?tag=${tag}`)).body.pagination.total
    expect([
      await total('weather'),
      await total('CLIMATE'),
      await total('weath'),
      await total('%25'),
    ]).toEqual([2, 1, 0, 0])
  })
})

describe('pages', () => {
  const CROWD = 43
  beforeAll(async () => {
    const by = await arrive(on)
    await Promise.all(
      Array.from({ length: CROWD }, (_, index) =>
        offer(
          manifest(
            `crowd-${index}`,
            { serviceName: 'Crowd', summary: 'One of many.' },
            `0.${1 + (index % 3)}`,
            ['crowd'],
          ),
          by,
        ),
      ),
    )
  })

  test.each([1, 7, 43, 100])('of %i contain each service once', async pageSize => {
    const fromRegistry: string[] = []
    const fromSearch: string[] = []
    for (let page = 1; page <= Math.ceil(CROWD / pageSize); page += 1) {
      const { body } = await registry(`?tag=crowd&pageSize=${pageSize}&page=${page}`)
      fromRegistry.push(...body.services.map(({ serviceId }) => serviceId))
      expect(body.pagination.hasNextPage).toBe(page * pageSize < CROWD)
      const answer = (await search({ query: 'crowd', sort: 'lowest_price', pageSize, page })).body
      fromSearch.push(...answer.results.map(({ serviceId }) => serviceId))
      expect(answer).toMatchObject({ totalCount: CROWD, hasMore: page * pageSize < CROWD })
    }
    expect(new Set(fromRegistry).size).toBe(CROWD)
    expect(fromRegistry).toEqual(fromRegistry.toSorted().toReversed())
    expect(new Set(fromSearch).size).toBe(CROWD)
  })

  test('of discovery end at its limit', async () => {
    const count = async (limit: string) =>
      (await send<unknown[]>(on.url, `/api/v1/services/discover?search_query=crowd&limit=${limit}`)).body
        .length
    expect([await count('5'), await count('1000'), await count('-1'), await count('')]).toEqual([
      5,
      CROWD,
      1,
      20,
    ])
  })
})

describe('untrusted text', () => {
  const hostile = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          '%',
          '_',
          '\\',
          "'",
          '"',
          '&',
          '|',
          '!',
          '(',
          ')',
          ':*',
          '<->',
          '--',
          ';',
          'a',
          '*',
          '?',
          '$1',
          '\t',
        ),
        { maxLength: 80 },
      )
      .map(parts => parts.join('')),
    fc.constantFrom(
      '%'.repeat(200),
      '_%'.repeat(100),
      'a '.repeat(100),
      '('.repeat(200),
      '!'.repeat(200),
      ':* & | !',
      "'; drop table services; --",
      'ab'.repeat(100),
      `${'a'.repeat(99)}${'%'.repeat(101)}`,
      'שלום עולם',
      'مرحبا بالعالم',
      '\u202eevil',
      '👩‍👩‍👧‍👦'.repeat(15),
      'ﷺ'.repeat(200),
      'word '.repeat(40),
      Array.from({ length: 60 }, (_, index) => `w${index}`).join(' '),
      'ǅ'.repeat(200),
      'İ'.repeat(200),
    ),
  )

  test('gets an answer in bounded time, and never a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async text => {
        const startedAt = performance.now()
        const answers = [
          await search({ query: text, tags: text === '' ? [] : [text.slice(0, 40)] }),
          await search({ query: text }),
        ]
        if (text.isWellFormed()) answers.push((await registry(`?q=${encodeURIComponent(text)}`)) as never)
        for (const { status } of answers) expect([200, 400]).toContain(status)
        expect(performance.now() - startedAt).toBeLessThan(10_000)
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  test('is stored as text: services may have any name', async () => {
    const by = await arrive(on)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async text => {
        const serviceName = `x${text}`
        const body = {
          serviceName,
          summary: text,
          tags: [`t${text.trim().slice(0, 20)}`.trim()],
          invoke: { targets: [{ url: target.url }] },
        }
        const answer = await post<{ serviceId: string; code: string }>(on, '/services', {
          token: by.token,
          body,
        })
        if (answer.status === 400) return
        expect(answer.status).toBe(200)
        const names = (await discover(serviceName)).map(({ serviceId }) => serviceId)
        expect(names).toContain(answer.body.serviceId)
        const tagged = (await search({ tags: body.tags, pageSize: 100 })).body.results.map(
          ({ serviceId }) => serviceId,
        )
        expect(tagged).toContain(answer.body.serviceId)
      }),
      // A Georgian capital, which is one since Unicode 11.
      { numRuns: 30, examples: [['\u1c90']] },
    )
  }, 60_000)
})
