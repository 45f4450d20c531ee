import { MAX_USDC } from '@farebox/money'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  manifestOf,
  type Provider,
  startServiceGateway,
  startTarget,
  type TestTarget,
} from '../../../test/service-gateway.ts'
import { readService } from './store.ts'
import { openHeaders } from './upstream-headers.ts'

let on: Awaited<ReturnType<typeof startServiceGateway>>
let target: TestTarget
let alice: Provider
let bob: Provider

beforeAll(async () => {
  on = await startServiceGateway()
  target = await startTarget()
  alice = await on.provider()
  bob = await on.provider()
})
afterAll(async () => {
  await target.stop()
  await on.stop()
})

const discovered = async (query = '') => {
  const { body } = await on.ask('GET', `/services/discover?limit=100${query}`)
  return (body as unknown as { serviceId: string }[]).map(({ serviceId }) => serviceId)
}
const refusal = (code: string, status: number) => ({ status, body: { code, detail: { code } } })

describe('POST /services', () => {
  test('answers serviceId and status active, and the record; the wallet is a provider then', async () => {
    const carol = await on.provider()
    const manifest = manifestOf(target.url, {
      agentToolName: 'weather_now',
      description: 'More words.',
      tags: ['weather', 'eu', 'weather'],
      invoke: {
        method: 'post',
        targets: [{ url: target.url, weight: 2.5 }],
        request: { body: { type: 'object' }, note: 'kept' },
        response: { body: { type: 'object' } },
        timeoutMs: 1_000,
      },
      healthCheck: { path: '/health', successCodes: [200] },
      governance: { terms: 'https://example.com' },
      providerProfile: { name: 'Carol' },
      payoutAccount: '0x0',
    })
    const { status, body } = await carol.ask('POST', '/services', manifest)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      serviceId: expect.stringMatching(/^svc_/),
      status: 'active',
      agentToolName: 'weather_now',
      service: {
        ...{ serviceName: 'Weather', agentToolName: 'weather_now', summary: 'Tells the weather.' },
        ...{ description: 'More words.', tags: ['weather', 'eu'], serviceKind: 'api', priceModel: 'fixed' },
        ...{ pricing: { amount: '0.050000', currency: 'USDC' }, status: 'active', isActive: true },
        ...{ ownerAddress: carol.address, runtimeAvailable: true, hasUpstreamHeaders: false },
        invoke: {
          method: 'POST',
          targets: [{ url: target.url, weight: 2.5, isHealthy: true }],
          request: { body: { type: 'object' }, note: 'kept' },
          response: { body: { type: 'object' } },
          timeoutMs: 1_000,
        },
        healthCheck: { path: '/health', method: 'GET', successCodes: [200] },
        governance: { terms: 'https://example.com' },
        providerProfile: { name: 'Carol' },
        payoutAccount: '0x0',
        health: { overallStatus: 'healthy', healthyTargets: 1, totalTargets: 1, runtimeAvailable: true },
      },
    })
    const [wallet] = await on.deps.db.query(
      sql`select is_provider from wallets where address = ${carol.wallet}`,
    )
    expect(wallet).toEqual({ is_provider: true })
  })

  test('takes a manifest with nothing but serviceName and invoke.targets', async () => {
    const service = await alice.register({ serviceName: 'Bare', invoke: { targets: [{ url: target.url }] } })
    expect(service).toMatchObject({
      ...{ serviceName: 'Bare', agentToolName: 'bare', summary: '', tags: [] },
      ...{ pricing: { amount: '0.000000' }, healthCheck: null, governance: null },
      invoke: { method: 'POST', targets: [{ weight: 1 }], request: {}, response: {}, timeoutMs: 30_000 },
    })
  })

  test('puts a healthy service into discovery before it answers', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    expect(await discovered()).toContain(serviceId)
  })

  test('answers soon though a target hangs, and the service is not discovered', async () => {
    const slow = await startTarget()
    slow.answer(() => undefined)
    const startedAt = performance.now()
    const service = await alice.register(manifestOf(slow.url))
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(service).toMatchObject({
      status: 'active',
      runtimeAvailable: false,
      health: { overallStatus: 'unknown' },
    })
    expect(await discovered()).not.toContain(service.serviceId)
    await slow.stop()
  })

  test('401 without a session, before its body is looked at', async () => {
    expect(await on.ask('POST', '/services', { nonsense: true })).toMatchObject(refusal('UNAUTHORIZED', 401))
  })

  test.each([
    ['no body', undefined],
    ['no serviceName', { invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['a blank serviceName', { serviceName: ' ', invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['NUL in serviceName', { serviceName: 'a\0b', invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['half a surrogate pair', { serviceName: '\ud800', invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['no invoke', { serviceName: 'x' }],
    ['no targets', { serviceName: 'x', invoke: {} }],
    ['an empty list of targets', { serviceName: 'x', invoke: { targets: [] } }],
    ['a target without a URL', { serviceName: 'x', invoke: { targets: [{ weight: 1 }] } }],
  ])('INVALID_MANIFEST with issues for %s', async (_, manifest) => {
    const answer = await alice.ask('POST', '/services', manifest)
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
    expect(answer.body).toMatchObject({ detail: { issues: [{ message: expect.any(String) }] } })
  })

  const withInvoke = (invoke: object) =>
    manifestOf('http://a.test/', { invoke: { targets: [{ url: 'http://a.test/' }], ...invoke } })
  test.each([
    ['weight 0', withInvoke({ targets: [{ url: 'http://a.test/', weight: 0 }] })],
    ['a negative weight', withInvoke({ targets: [{ url: 'http://a.test/', weight: -1 }] })],
    ['a weight that is no number', withInvoke({ targets: [{ url: 'http://a.test/', weight: '1' }] })],
    ['an absurd weight', withInvoke({ targets: [{ url: 'http://a.test/', weight: 1e7 }] })],
    [
      '9 targets',
      withInvoke({ targets: Array.from({ length: 9 }, (_, index) => ({ url: `http://a.test/${index}` })) }),
    ],
    [
      '10,000 targets',
      withInvoke({ targets: Array.from({ length: 10_000 }, () => ({ url: 'http://a.test/' })) }),
    ],
    [
      'a target that stands twice',
      withInvoke({ targets: [{ url: 'http://a.test/' }, { url: 'http://a.test/' }] }),
    ],
    ['a method of its own', withInvoke({ method: 'BREW' })],
    ['CONNECT', withInvoke({ method: 'CONNECT' })],
    ['a timeout of 121 s', withInvoke({ timeoutMs: 121_000 })],
    ['a timeout of 0', withInvoke({ timeoutMs: 0 })],
    ['a request that is no object', withInvoke({ request: [] })],
    ['a request.body that is no schema', withInvoke({ request: { body: { type: 'text' } } })],
    ['a response.body that is no schema', withInvoke({ response: { body: { pattern: '(' } } })],
    ['a pattern that looks around', withInvoke({ request: { body: { pattern: '(?=a)' } } })],
    ['a price of 10001', manifestOf('http://a.test/', { pricing: { amount: '10001' } })],
    ['a price just too high', manifestOf('http://a.test/', { pricing: { amount: '10000.000001' } })],
    ['a price beyond all numbers', manifestOf('http://a.test/', { pricing: { amount: String(MAX_USDC) } })],
    ['a negative price', manifestOf('http://a.test/', { pricing: { amount: '-1' } })],
    ['a price of seven decimals', manifestOf('http://a.test/', { pricing: { amount: '0.0000001' } })],
    ['a price with an exponent', manifestOf('http://a.test/', { pricing: { amount: '1e3' } })],
    ['a price without an amount', manifestOf('http://a.test/', { pricing: {} })],
    ['another currency', manifestOf('http://a.test/', { pricing: { amount: '1', currency: 'EUR' } })],
    ['a tool name in capitals', manifestOf('http://a.test/', { agentToolName: 'Weather' })],
    ['a tool name of 65 characters', manifestOf('http://a.test/', { agentToolName: 'a'.repeat(65) })],
    ['a tool name like a service id', manifestOf('http://a.test/', { agentToolName: 'svc_0123456789' })],
    ['a tag that is no text', manifestOf('http://a.test/', { tags: [1] })],
    [
      'too many tags',
      manifestOf('http://a.test/', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }),
    ],
    ['a health path elsewhere', manifestOf('http://a.test/', { healthCheck: { path: '//evil.test/' } })],
    [
      'a health path that is a URL',
      manifestOf('http://a.test/', { healthCheck: { path: 'http://evil.test/' } }),
    ],
    [
      'a health path with a backslash',
      manifestOf('http://a.test/', { healthCheck: { path: '/\\evil.test' } }),
    ],
    ['a success code of 99', manifestOf('http://a.test/', { healthCheck: { successCodes: [99] } })],
    [
      'governance of 70,000 characters',
      manifestOf('http://a.test/', { governance: { a: 'x'.repeat(70_000) } }),
    ],
    ['governance with NUL', manifestOf('http://a.test/', { governance: { a: '\0' } })],
  ])('INVALID_MANIFEST for %s', async (_, manifest) => {
    expect(await alice.ask('POST', '/services', manifest)).toMatchObject(refusal('INVALID_MANIFEST', 400))
  })

  test('INVALID_MANIFEST, not a stack overflow, for governance nested without end', async () => {
    const governance = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const answer = await fetch(`${on.url}/api/v1/services`, {
      method: 'POST',
      headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
      body: `{"serviceName":"x","invoke":{"targets":[{"url":"${target.url}"}]},"governance":${governance}}`,
    })
    expect(await answer.json()).toMatchObject({ code: 'INVALID_MANIFEST' })
  })

  test.each([
    ['serviceKind llm', { serviceKind: 'llm' }],
    ['priceModel token_metered', { priceModel: 'token_metered' }],
  ])('INVALID_MANIFEST for %s: token-metered services are not accepted by this version', async (_, more) => {
    const answer = await alice.ask('POST', '/services', manifestOf(target.url, more))
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
    expect(answer.body.message).toContain('Token-metered services are not accepted by this version')
  })

  test.each(['0', '10000', 0.05, '10000.000000'])('takes a price of %s', async amount => {
    const service = await alice.register(manifestOf(target.url, { pricing: { amount } }))
    expect(Number(service.pricing.amount)).toBe(Number(amount))
  })

  test.each([
    ['file:///etc/passwd', 'scheme'],
    ['http://a:b@example.com/', 'userinfo'],
    ['nonsense', 'malformed'],
    [`http://a.test/${'x'.repeat(2_100)}`, 'too_long'],
  ])('UNSAFE_TARGET_URL for %.40s', async (url, reason) => {
    const answer = await alice.ask('POST', '/services', manifestOf(url))
    expect(answer).toMatchObject(refusal('UNSAFE_TARGET_URL', 400))
    expect(answer.body).toMatchObject({ detail: { reason } })
  })

  test('ignores what is not for the provider to say', async () => {
    const service = await alice.register(
      manifestOf(target.url, {
        ...{ ownerAddress: bob.address, owner: bob.wallet, id: 'svc_mine', status: 'deleted', version: 9 },
        ...{
          isActive: false,
          suspendedAt: '2020-01-01',
          createdAt: '2020-01-01',
          health: {},
          runtimeAvailable: true,
        },
      }),
    )
    expect(service).toMatchObject({ ownerAddress: alice.address, status: 'active', isActive: true })
    expect(service.serviceId).not.toBe('svc_mine')
    expect(Date.parse(service.createdAt)).toBeGreaterThan(Date.now() - 60_000)
  })
})

describe('a tool name', () => {
  test('that is given and taken is DUPLICATE_SERVICE_ID, whoever has it', async () => {
    await alice.register(manifestOf(target.url, { agentToolName: 'taken-1' }))
    for (const who of [alice, bob]) {
      const answer = await who.ask('POST', '/services', manifestOf(target.url, { agentToolName: 'taken-1' }))
      expect(answer).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    }
  })

  test('is derived from serviceName, with a suffix when that is taken', async () => {
    const names = [
      (await alice.register(manifestOf(target.url, { serviceName: 'Derived Name!' }))).agentToolName,
      (await bob.register(manifestOf(target.url, { serviceName: 'Derived Name!' }))).agentToolName,
    ]
    expect(names[0]).toBe('derived-name')
    expect(names[1]).toMatch(/^derived-name-[0-9a-f]{6}$/)
  })

  test('is taken from serviceId when it is absent', async () => {
    const service = await alice.register(manifestOf(target.url, { serviceId: 'my-own-id' }))
    expect(service.agentToolName).toBe('my-own-id')
    const both = manifestOf(target.url, { serviceId: 'my-own-id', agentToolName: 'another-name' })
    expect((await alice.register(both)).agentToolName).toBe('another-name')
  })

  test('goes to one of many who ask for it at once', async () => {
    const manifest = manifestOf(target.url, { agentToolName: 'contended' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => bob.ask('POST', '/services', manifest)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  test('stays taken after deletion', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'buried' }))
    await alice.ask('PUT', `/services/${serviceId}`, { isActive: false })
    await alice.ask('DELETE', `/services/${serviceId}`)
    const again = await alice.ask('POST', '/services', manifestOf(target.url, { agentToolName: 'buried' }))
    expect(again).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
  })

  test('is accepted wherever a service id is', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'by-name' }))
    expect((await on.ask('GET', '/services/by-name')).body).toMatchObject({ serviceId })
    expect((await alice.ask('GET', '/services/by-name/health/history')).body).toMatchObject({ serviceId })
    expect((await alice.ask('POST', '/services/by-name/ping')).body).toMatchObject({ serviceId })
    expect((await alice.ask('PUT', '/services/by-name', { isActive: false })).body).toMatchObject({
      serviceId,
    })
    expect((await alice.ask('DELETE', '/services/by-name')).body).toMatchObject({ serviceId })
  })

  test('can be changed to a free one, and the old one still leads to the service', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'old-name' }))
    const renamed = await alice.ask('PUT', '/services/old-name', { agentToolName: 'new-name' })
    expect(renamed.body).toMatchObject({ service: { serviceId, agentToolName: 'new-name' } })
    expect((await on.ask('GET', '/services/old-name')).body).toMatchObject({ serviceId })
    expect((await on.directory.find('old-name'))?.agentToolName).toBe('new-name')
    const stolen = await bob.ask('POST', '/services', manifestOf(target.url, { agentToolName: 'old-name' }))
    expect(stolen).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    await bob.register(manifestOf(target.url, { agentToolName: 'bobs-name' }))
    const taken = await alice.ask('PUT', '/services/new-name', { agentToolName: 'bobs-name' })
    expect(taken).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
  })
})

describe('PUT /services/:id', () => {
  test('carries serviceId and isActive, and takes a service out of discovery and back', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    const off = await alice.ask('PUT', `/services/${serviceId}`, { isActive: false })
    expect(off).toMatchObject({
      status: 200,
      body: {
        status: 'success',
        service: { serviceId, isActive: false, status: 'inactive', runtimeAvailable: false },
      },
    })
    expect(await discovered()).not.toContain(serviceId)
    const back = await alice.ask('PUT', `/services/${serviceId}`, { isActive: true })
    expect(back.body).toMatchObject({ service: { serviceId, isActive: true, status: 'active' } })
    expect(await discovered()).toContain(serviceId)
  })

  test('replaces each member that is there whole, and leaves the others', async () => {
    const before = await alice.register(
      manifestOf(target.url, {
        ...{ tags: ['a', 'b'], description: 'long', governance: { a: 1, b: 2 }, healthCheck: { path: '/h' } },
        invoke: {
          method: 'PUT',
          timeoutMs: 500,
          targets: [{ url: target.url, weight: 3 }],
          request: { body: true },
        },
      }),
    )
    const path = `/services/${before.serviceId}`
    await alice.ask('PUT', path, { governance: { c: 3 }, tags: ['c'] })
    const { body } = await alice.ask('PUT', path, {
      invoke: { targets: [{ url: `${target.url}/2` }] },
      healthCheck: null,
    })
    expect(body.service).toMatchObject({
      ...{
        serviceName: 'Weather',
        description: 'long',
        pricing: before.pricing,
        tags: ['c'],
        governance: { c: 3 },
      },
      healthCheck: null,
      invoke: {
        ...{ method: 'POST', timeoutMs: 30_000, request: {} },
        targets: [{ url: `${target.url}/2`, weight: 1, isHealthy: true }],
      },
    })
  })

  test('clears optional members with null', async () => {
    const { serviceId } = await alice.register(
      manifestOf(target.url, { description: 'long', tags: ['a'], governance: {}, payoutAccount: 'x' }),
    )
    const cleared = { description: null, tags: null, summary: null, governance: null, payoutAccount: null }
    const { body } = await alice.ask('PUT', `/services/${serviceId}`, cleared)
    expect(body.service).toMatchObject({
      description: '',
      tags: [],
      summary: '',
      governance: null,
      payoutAccount: null,
    })
  })

  test('raises the version with every change, and only then', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    const version = async () => (await on.directory.find(serviceId))?.version
    expect(await version()).toBe(1n)
    await alice.ask('PUT', `/services/${serviceId}`, { pricing: { amount: '0.06' } })
    expect(await version()).toBe(2n)
    await alice.ask('POST', `/services/${serviceId}/ping`)
    on.directory.forget(serviceId)
    expect(await version()).toBe(2n)
    await alice.ask('PUT', `/services/${serviceId}`, {
      invoke: { targets: [{ url: target.url, weight: 2 }] },
    })
    expect(await version()).toBe(3n)
  })

  test('keeps what is known of the health of a target that stays', async () => {
    const gone = await startTarget()
    const { serviceId } = await alice.register(
      manifestOf(target.url, { invoke: { targets: [{ url: target.url }, { url: gone.url }] } }),
    )
    await gone.stop()
    const { body } = await alice.ask('PUT', `/services/${serviceId}`, {
      invoke: {
        targets: [
          { url: gone.url, weight: 2 },
          { url: target.url, weight: 5 },
        ],
      },
    })
    expect(body.service).toMatchObject({
      invoke: {
        targets: [
          { url: gone.url, isHealthy: false },
          { url: target.url, weight: 5, isHealthy: true },
        ],
      },
    })
  })

  test('ignores ownerAddress, status, serviceId and the like', async () => {
    const mine = await alice.register(manifestOf(target.url))
    const others = await bob.register(manifestOf(target.url))
    const { body } = await alice.ask('PUT', `/services/${mine.serviceId}`, {
      ...{
        ownerAddress: bob.address,
        owner: bob.wallet,
        status: 'deleted',
        serviceId: others.serviceId,
        id: others.serviceId,
      },
      ...{ version: 99, deletedAt: '2020-01-01', suspendedAt: '2020-01-01' },
    })
    expect(body.service).toMatchObject({
      serviceId: mine.serviceId,
      ownerAddress: alice.address,
      status: 'active',
    })
    expect(await readService(on.deps.db, others.serviceId)).toMatchObject({ version: 1n, owner: bob.wallet })
  })

  test('SERVICE_NOT_FOUND for the service of another, and for none, and nothing changes', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    for (const id of [serviceId, 'svc_nowhere', 'nobodys-name', '%00', "x' or 1=1", 'é'.repeat(50)]) {
      const answer = await bob.ask('PUT', `/services/${encodeURIComponent(id)}`, { isActive: false })
      expect(answer).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
    }
    expect(await readService(on.deps.db, serviceId)).toMatchObject({ isActive: true, version: 1n })
  })

  test('asks no name server for a service that is not the caller’s', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    const answer = await bob.ask('PUT', `/services/${serviceId}`, {
      invoke: { targets: [{ url: 'ftp://x/' }] },
    })
    expect(answer).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
  })

  test.each([
    ['INVALID_MANIFEST', 'invoke without targets', { invoke: { method: 'GET' } }],
    ['INVALID_MANIFEST', 'invoke null', { invoke: null }],
    ['INVALID_MANIFEST', 'serviceName null', { serviceName: null }],
    ['INVALID_MANIFEST', 'isActive as text', { isActive: 'false' }],
    ['INVALID_MANIFEST', 'serviceKind llm', { serviceKind: 'llm' }],
    ['UNSAFE_TARGET_URL', 'an unsafe target', { invoke: { targets: [{ url: 'ftp://a.test/' }] } }],
  ])('%s for %s, and nothing changes', async (code, _, changes) => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    expect(await alice.ask('PUT', `/services/${serviceId}`, changes)).toMatchObject(refusal(code, 400))
    expect(await readService(on.deps.db, serviceId)).toMatchObject({ version: 1n })
  })

  test('SERVICE_SUSPENDED for its owner while it is suspended', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    await on.deps.db.query(sql`update services set suspended_at = now() where id = ${serviceId}`)
    for (const [method, path] of [
      ['PUT', `/services/${serviceId}`],
      ['DELETE', `/services/${serviceId}`],
      ['POST', `/services/${serviceId}/ping`],
    ] as const) {
      const answer = await alice.ask(method, path, method === 'PUT' ? { isActive: false } : undefined)
      expect(answer).toMatchObject(refusal('SERVICE_SUSPENDED', 403))
    }
    expect(await discovered()).not.toContain(serviceId)
    expect(await on.ask('GET', `/services/${serviceId}`)).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
    expect((await alice.ask('GET', `/services/${serviceId}`)).body).toMatchObject({
      service: { status: 'suspended' },
    })
  })
})

describe('DELETE /services/:id', () => {
  test('409 while active; once inactive it is deleted, and then it is gone for good', async () => {
    const { serviceId } = await alice.register(
      manifestOf(target.url, { upstreamHeaders: { 'x-key': 'secret' } }),
    )
    const path = `/services/${serviceId}`
    expect(await alice.ask('DELETE', path)).toMatchObject(refusal('SERVICE_DELETE_ACTIVE_CONFLICT', 409))
    await alice.ask('PUT', path, { isActive: false })
    expect(await alice.ask('DELETE', path)).toMatchObject({
      status: 200,
      body: { status: 'success', serviceId },
    })

    for (const [method, body] of [['DELETE'], ['PUT', { isActive: true }]] as const) {
      expect(await alice.ask(method, path, body)).toMatchObject(refusal('SERVICE_ALREADY_DELETED', 410))
    }
    expect(await alice.ask('POST', `${path}/ping`)).toMatchObject(refusal('SERVICE_ALREADY_DELETED', 410))
    expect(await on.ask('GET', path)).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
    expect(await readService(on.deps.db, serviceId)).toMatchObject({ upstreamHeaders: null })
    const { body } = await alice.ask('GET', '/services?limit=100')
    expect(JSON.stringify(body)).not.toContain(serviceId)
  })

  test('SERVICE_NOT_FOUND for the service of another', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    expect(await bob.ask('DELETE', `/services/${serviceId}`)).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
  })
})

describe('GET /services', () => {
  test('lists the caller’s services, newest first, in pages', async () => {
    const dora = await on.provider()
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1)
      ids.unshift((await dora.register(manifestOf(target.url))).serviceId)
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 3; page += 1) {
      const { body } = await dora.ask('GET', `/services?limit=2${cursor}`)
      for (const { serviceId } of body.services as { serviceId: string }[]) seen.push(serviceId)
      cursor = `&cursor=${body.nextCursor}`
      expect(body.status).toBe('success')
      expect(body.nextCursor === null).toBe(page === 2)
    }
    expect(seen).toEqual(ids)
    const { body } = await dora.ask('GET', '/services')
    expect((body.services as object[])[0]).toMatchObject({
      ...{ ownerAddress: dora.address, isActive: true, status: 'active', runtimeAvailable: true },
      health: { overallStatus: 'healthy', lastCheckedAt: expect.any(Number) },
    })
  })

  test.each([
    ['limit=-1', 1],
    ['limit=0', 1],
    ['limit=1000000000', 3],
    ['', 3],
  ])('clamps a limit out of range (%s)', async (query, count) => {
    const emma = await on.provider()
    for (let index = 0; index < 3; index += 1) await emma.register(manifestOf(target.url))
    expect((await emma.ask('GET', `/services?${query}`)).body.services).toHaveLength(count)
  })

  test.each(['limit=abc', 'limit=1e9', 'limit=1.5', 'cursor=%00', 'cursor=!!'])(
    'INVALID_REQUEST for %s',
    async query => {
      expect(await alice.ask('GET', `/services?${query}`)).toMatchObject(refusal('INVALID_REQUEST', 400))
    },
  )

  test('401 without a session', async () => {
    expect(await on.ask('GET', '/services')).toMatchObject(refusal('UNAUTHORIZED', 401))
  })
})

describe('GET /services/:id', () => {
  test('shows the summary to anybody, and all of it to its owner', async () => {
    const { serviceId } = await alice.register(
      manifestOf(target.url, { upstreamHeaders: { 'x-key': 'secret' } }),
    )
    const stranger = await on.ask('GET', `/services/${serviceId}`)
    expect(stranger.body).toMatchObject({
      status: 'success',
      service: { serviceId, pricing: { amount: '0.050000' } },
    })
    expect(stranger.body.service).not.toHaveProperty('invoke')
    expect(stranger.body.service).not.toHaveProperty('ownerAddress')
    expect((await bob.ask('GET', `/services/${serviceId}`)).body).toEqual(stranger.body)
    const owner = await alice.ask('GET', `/services/${serviceId}`)
    expect(owner.body.service).toMatchObject({
      invoke: { targets: [{ url: target.url }] },
      hasUpstreamHeaders: true,
    })
  })

  test('SERVICE_NOT_FOUND for what is not there', async () => {
    expect(await on.ask('GET', '/services/svc_nowhere')).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
  })
})

describe('GET /services/discover', () => {
  test('is an array of summaries of active, healthy services, for anybody', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { serviceName: 'Summary of all' }))
    const { body, status } = await on.ask('GET', '/services/discover?search_query=summary%20of%20all')
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        ...{
          serviceId,
          serviceName: 'Summary of all',
          agentToolName: 'summary-of-all',
          summary: 'Tells the weather.',
        },
        ...{
          serviceKind: 'api',
          priceModel: 'fixed',
          description: '',
          tags: [],
          status: 'active',
          isActive: true,
        },
        ...{ pricing: { amount: '0.050000', currency: 'USDC' }, runtimeAvailable: true },
      },
    ])
  })

  test('searches names and descriptions in any case; wildcards stand for themselves', async () => {
    const { serviceId } = await alice.register(
      manifestOf(target.url, { serviceName: 'X', description: 'Ünique 100%_Ok\\' }),
    )
    const found = (query: string) => discovered(`&search_query=${encodeURIComponent(query)}`)
    for (const query of ['100%_ok', 'nique', '%_', 'Ok\\', ' 100% '])
      expect(await found(query)).toContain(serviceId)
    for (const query of ['100_', '1%k', 'Ok%', '\\\\']) expect(await found(query)).not.toContain(serviceId)
    expect(await found('')).toContain(serviceId)
  })

  test('bounds hostile searches', async () => {
    const long = await on.ask('GET', `/services/discover?search_query=${'%25_'.repeat(100)}`)
    expect(long).toMatchObject(refusal('INVALID_REQUEST', 400))
    const nul = await on.ask('GET', '/services/discover?search_query=%00')
    expect(nul).toMatchObject(refusal('INVALID_REQUEST', 400))
    const startedAt = performance.now()
    expect((await on.ask('GET', `/services/discover?search_query=${'%25a'.repeat(100)}`)).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  test('clamps limit, and refuses one that is no number', async () => {
    const count = async (limit: string) => {
      const { body } = await on.ask('GET', `/services/discover?limit=${limit}`)
      return (body as unknown as object[]).length
    }
    expect(await count('-1')).toBe(1)
    expect(await count('2')).toBe(2)
    expect(await count('1000000000')).toBeGreaterThan(2)
    expect(await on.ask('GET', '/services/discover?limit=abc')).toMatchObject(refusal('INVALID_REQUEST', 400))
  })

  test('does not show services of a suspended wallet', async () => {
    const finn = await on.provider()
    const { serviceId } = await finn.register(manifestOf(target.url))
    await on.deps.db.query(sql`update wallets set suspended_at = now() where address = ${finn.wallet}`)
    expect(await discovered()).not.toContain(serviceId)
  })
})

describe('upstreamHeaders', () => {
  test('are kept encrypted, sent to the target, and never shown again', async () => {
    const headers = { 'X-Api-Key': 'very-secret-value', Authorization: 'Bearer upstream' }
    const answers = [
      await alice.ask('POST', '/services', manifestOf(target.url, { upstreamHeaders: headers })),
    ]
    const { serviceId } = answers[0]?.body as { serviceId: string }
    answers.push(await alice.ask('GET', `/services/${serviceId}`))
    answers.push(await alice.ask('GET', '/services'))
    answers.push(await alice.ask('PUT', `/services/${serviceId}`, { summary: 'new' }))
    expect(JSON.stringify(answers)).not.toMatch(/very-secret|Bearer upstream/)
    const stored = await on.deps.db.query(
      sql`select to_jsonb(s) as row from services s where id = ${serviceId}`,
    )
    expect(JSON.stringify(stored)).not.toMatch(/very-secret|upstream"|x-api-key/i)

    const opened = { 'x-api-key': 'very-secret-value', authorization: 'Bearer upstream' }
    expect((await on.directory.find(serviceId))?.upstreamHeaders).toEqual(opened)
    expect(target.requests.at(-1)?.headers).toMatchObject(opened)
  })

  test('stay when a PUT does not speak of them, and go when it says null or nothing', async () => {
    const manifest = manifestOf(target.url, { upstreamHeaders: { 'x-a': '1' } })
    const headersAfter = async (changes: object) => {
      const { serviceId } = await alice.register(manifest)
      await alice.ask('PUT', `/services/${serviceId}`, changes)
      return (await on.directory.find(serviceId))?.upstreamHeaders
    }
    expect(await headersAfter({ summary: 'x' })).toEqual({ 'x-a': '1' })
    expect(await headersAfter({ upstreamHeaders: { 'x-b': '2' } })).toEqual({ 'x-b': '2' })
    expect(await headersAfter({ upstreamHeaders: null })).toEqual({})
    expect(await headersAfter({ upstreamHeaders: {} })).toEqual({})
  })

  test('do not open under the id of another service', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { upstreamHeaders: { 'x-a': '1' } }))
    const row = await readService(on.deps.db, serviceId)
    if (row === undefined) throw new Error('gone')
    expect(openHeaders(on.deps.secretBox, row)).toEqual({ 'x-a': '1' })
    expect(() => openHeaders(on.deps.secretBox, { ...row, id: 'svc_other' })).toThrow()
  })

  test.each([
    ['a line break', { 'x-a': 'b\r\nx-evil: 1' }],
    ['a bare line feed', { 'x-a': 'b\nc' }],
    ['NUL', { 'x-a': '\0' }],
    ['a name with a line break', { 'x-a\r\nx-evil': 'b' }],
    ['a name with a colon', { 'x:a': 'b' }],
    ['a name of nothing', { '': 'b' }],
    ['a value beyond ASCII', { 'x-a': 'é' }],
    ['a value that is no text', { 'x-a': 1 }],
    ['Host', { Host: 'evil.test' }],
    ['Content-Length', { 'content-length': '0' }],
    ['Transfer-Encoding', { 'Transfer-Encoding': 'chunked' }],
    ['Connection', { connection: 'close' }],
    ['Accept-Encoding', { 'accept-encoding': 'gzip' }],
    ['Farebox-Invocation-Id', { 'Farebox-Invocation-Id': 'inv_1' }],
    ['Idempotency-Key', { 'idempotency-key': '1' }],
    ['the same twice', { 'x-a': '1', 'X-A': '2' }],
    ['33 of them', Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`x-${index}`, '1']))],
    ['one of 5,000 characters', { 'x-a': 'b'.repeat(5_000) }],
  ])('INVALID_MANIFEST for %s', async (_, upstreamHeaders) => {
    const answer = await alice.ask('POST', '/services', manifestOf(target.url, { upstreamHeaders }))
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
  })
})

describe('the directory of callable services', () => {
  test('finds by id and by name what a call needs', async () => {
    const service = await alice.register(
      manifestOf(target.url, {
        invoke: {
          ...{ targets: [{ url: target.url, weight: 2 }], method: 'PUT', timeoutMs: 700 },
          request: { body: { type: 'object', required: ['city'] } },
          response: { body: { type: 'array' } },
        },
      }),
    )
    const found = await on.directory.find(service.serviceId)
    expect(found).toMatchObject({
      ...{ id: service.serviceId, version: 1n, agentToolName: service.agentToolName, serviceName: 'Weather' },
      ...{ provider: alice.wallet, price: 50_000n, method: 'PUT', timeoutMs: 700, upstreamHeaders: {} },
      targets: [{ url: target.url, weight: 2, isHealthy: true }],
    })
    expect(found?.validateRequest({ city: 'Bern' })).toBeNull()
    expect(found?.validateRequest({})).toEqual([
      { path: 'payload.body', message: "must have required property 'city'" },
    ])
    expect(found?.validateResponse({})).toEqual([{ path: 'result', message: 'must be array' }])
    expect(await on.directory.find(service.agentToolName)).toBe(found)
  })

  test('does not find what cannot be called', async () => {
    const grace = await on.provider()
    const state = async (statement: (id: string) => ReturnType<typeof sql>) => {
      const { serviceId } = await grace.register(manifestOf(target.url))
      await on.deps.db.query(statement(serviceId))
      on.directory.forget(serviceId)
      return on.directory.find(serviceId)
    }
    expect(await on.directory.find('svc_nowhere')).toBeNull()
    expect(await on.directory.find('\0')).toBeNull()
    expect(await on.directory.find('x'.repeat(100_000))).toBeNull()
    expect(await state(id => sql`update services set is_active = false where id = ${id}`)).toBeNull()
    expect(
      await state(id => sql`update services set is_active = false, deleted_at = now() where id = ${id}`),
    ).toBeNull()
    expect(await state(id => sql`update services set suspended_at = now() where id = ${id}`)).toBeNull()
    expect(
      await state(() => sql`update wallets set suspended_at = now() where address = ${grace.wallet}`),
    ).toBeNull()
  })

  test('asks the database once for many at a time, and again after two seconds or when told to', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    on.directory.forget(serviceId)
    const found = await Promise.all(Array.from({ length: 50 }, () => on.directory.find(serviceId)))
    expect(new Set(found).size).toBe(1)
    await on.deps.db.query(sql`update services set price = 7 where id = ${serviceId}`)
    expect((await on.directory.find(serviceId))?.price).toBe(50_000n)
    on.advance(2_000)
    expect((await on.directory.find(serviceId))?.price).toBe(7n)
    await on.deps.db.query(sql`update services set price = 8 where id = ${serviceId}`)
    on.directory.forget(serviceId)
    expect((await on.directory.find(serviceId))?.price).toBe(8n)
  })

  test('shows a change by the provider at once', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    await on.directory.find(serviceId)
    await alice.ask('PUT', `/services/${serviceId}`, { pricing: { amount: '1' } })
    expect((await on.directory.find(serviceId))?.price).toBe(1_000_000n)
    await alice.ask('PUT', `/services/${serviceId}`, { isActive: false })
    expect(await on.directory.find(serviceId)).toBeNull()
  })
})
