import { MAX_USDC } from '@farebox/money'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../test/kit/gateway/service-gateway.ts'
import { refusal } from '../../../test/kit/network/http.ts'
import { startTarget, type TestTarget } from '../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../test/kit/world/manifests.ts'
import { readCallable } from './store.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let bob: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, bob, stop } = await startServiceFixture())
})
afterAll(() => stop())

describe('POST /services', () => {
  test('warns that a service without a price is free, and not for an explicit price', async () => {
    const dora = await on.provider()
    const invoke = { targets: [{ url: target.url }] }
    const warningsOf = async (pricing: object) =>
      (await dora.ask('POST', '/services', { serviceName: 'Free', invoke, ...pricing })).body.warnings
    expect(await warningsOf({})).toEqual([expect.stringContaining('Set pricing.amount')])
    expect(await warningsOf({ pricing: { amount: '0' } })).toEqual([])
    expect(await warningsOf({ pricing: { amount: '0.01' } })).toEqual([])
  })

  test('returns serviceId, status active and the record, and makes the wallet a provider', async () => {
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
      payoutAccount: carol.wallet.toUpperCase(),
    })
    const { status, body } = await carol.ask('POST', '/services', manifest)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      serviceId: expect.stringMatching(/^svc_/),
      status: 'active',
      warnings: [],
      agentToolName: 'weather_now',
      service: {
        serviceName: 'Weather',
        agentToolName: 'weather_now',
        summary: 'Tells the weather.',
        description: 'More words.',
        tags: ['weather', 'eu'],
        serviceKind: 'api',
        priceModel: 'fixed',
        pricing: { amount: '0.050000', currency: 'USDC' },
        status: 'active',
        isActive: true,
        ownerAddress: carol.address,
        runtimeAvailable: true,
        hasUpstreamHeaders: false,
        invoke: {
          method: 'POST',
          targets: [{ url: target.url, weight: 2.5, healthPath: null, isHealthy: true }],
          request: { body: { type: 'object' }, note: 'kept' },
          response: { body: { type: 'object' } },
          timeoutMs: 1_000,
        },
        healthCheck: { path: '/health', method: 'GET', successCodes: [200] },
        governance: { terms: 'https://example.com' },
        providerProfile: { name: 'Carol' },
        payoutAccount: carol.wallet.toUpperCase(),
        health: { overallStatus: 'healthy', healthyTargets: 1, totalTargets: 1, runtimeAvailable: true },
      },
    })
    const [wallet] = await on.deps.db.query(
      sql`select is_provider from wallets where address = ${carol.wallet}`,
    )
    expect(wallet).toEqual({ isProvider: true })
  })

  test("INVALID_ADDRESS for a payoutAccount other than the provider's wallet, also by a change", async () => {
    const carol = await on.provider()
    const own = { address: carol.address, note: 'kept' }
    const { serviceId } = await carol.register(manifestOf(target.url, { payoutAccount: own }))
    for (const payoutAccount of [alice.address, { address: alice.address }, { iban: 'DE00' }, [], '0x0', 7]) {
      const made = await carol.ask('POST', '/services', manifestOf(target.url, { payoutAccount }))
      expect([made.status, made.body.code]).toEqual([400, 'INVALID_ADDRESS'])
      const changed = await carol.ask('PUT', `/services/${serviceId}`, { payoutAccount })
      expect([changed.status, changed.body.code]).toEqual([400, 'INVALID_ADDRESS'])
    }
    const kept = await carol.ask('PUT', `/services/${serviceId}`, { summary: 'New.' })
    expect(kept.body.service).toMatchObject({ payoutAccount: own, summary: 'New.' })
  })

  test('accepts a manifest with only serviceName and invoke.targets', async () => {
    const service = await alice.register({ serviceName: 'Bare', invoke: { targets: [{ url: target.url }] } })
    expect(service).toMatchObject({
      serviceName: 'Bare',
      agentToolName: 'bare',
      summary: '',
      tags: [],
      pricing: { amount: '0.000000' },
      healthCheck: null,
      governance: null,
      invoke: {
        method: 'POST',
        targets: [{ weight: 1 }],
        request: {},
        response: {},
        timeoutMs: 30_000,
        streamIdleTimeoutMs: 60_000,
        streamMaxMs: 600_000,
      },
    })
  })

  test('lists a healthy service in discovery before it responds', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    expect(await on.discovered()).toContain(serviceId)
  })

  test('responds soon although a target hangs, without listing the service', async () => {
    const slow = await startTarget()
    slow.answer(() => undefined)
    const startedAt = performance.now()
    const service = await alice.register(manifestOf(slow.url))
    // The probe itself would take five seconds.
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(service).toMatchObject({
      status: 'active',
      runtimeAvailable: false,
      health: { overallStatus: 'unknown' },
    })
    expect(await on.discovered()).not.toContain(service.serviceId)
    await slow.stop()
  })

  test('401 without a session, before its body is parsed', async () => {
    expect(await on.ask('POST', '/services', { nonsense: true })).toMatchObject(refusal('UNAUTHORIZED', 401))
  })

  test.each([
    ['no body', undefined],
    ['no serviceName', { invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['a blank serviceName', { serviceName: ' ', invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['NUL in serviceName', { serviceName: 'a\0b', invoke: { targets: [{ url: 'http://a.test/' }] } }],
    [
      'a Cyrillic letter in a Latin word',
      { serviceName: 'Open\u0410I', invoke: { targets: [{ url: 'http://a.test/' }] } },
    ],
    ['a zero-width space', { serviceName: 'Open\u200bAI', invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['a direction override', { serviceName: 'a\u202eb', invoke: { targets: [{ url: 'http://a.test/' }] } }],
    ['an unpaired surrogate', { serviceName: '\ud800', invoke: { targets: [{ url: 'http://a.test/' }] } }],
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
    ['a weight that is not a number', withInvoke({ targets: [{ url: 'http://a.test/', weight: '1' }] })],
    ['an absurd weight', withInvoke({ targets: [{ url: 'http://a.test/', weight: 1e7 }] })],
    [
      '9 targets',
      withInvoke({ targets: Array.from({ length: 9 }, (_, index) => ({ url: `http://a.test/${index}` })) }),
    ],
    [
      '10,000 targets',
      withInvoke({ targets: Array.from({ length: 10_000 }, () => ({ url: 'http://a.test/' })) }),
    ],
    ['a duplicate target', withInvoke({ targets: [{ url: 'http://a.test/' }, { url: 'http://a.test/' }] })],
    ['an unknown method', withInvoke({ method: 'BREW' })],
    ['CONNECT', withInvoke({ method: 'CONNECT' })],
    ['a timeout of 121 s', withInvoke({ timeoutMs: 121_000 })],
    ['a timeout of 0', withInvoke({ timeoutMs: 0 })],
    ['a stream of 3,601 s', withInvoke({ streamMaxMs: 3_601_000 })],
    ['an idle timeout of 301 s', withInvoke({ streamIdleTimeoutMs: 301_000 })],
    ['a request that is not an object', withInvoke({ request: [] })],
    ['a request.body that is not a schema', withInvoke({ request: { body: { type: 'text' } } })],
    ['a response.body that is not a schema', withInvoke({ response: { body: { pattern: '(' } } })],
    ['a pattern with look-around', withInvoke({ request: { body: { pattern: '(?=a)' } } })],
    ['a price of 10001', manifestOf('http://a.test/', { pricing: { amount: '10001' } })],
    ['a price just above the maximum', manifestOf('http://a.test/', { pricing: { amount: '10000.000001' } })],
    [
      'a price far above the maximum',
      manifestOf('http://a.test/', { pricing: { amount: String(MAX_USDC) } }),
    ],
    ['a negative price', manifestOf('http://a.test/', { pricing: { amount: '-1' } })],
    ['a price with seven decimals', manifestOf('http://a.test/', { pricing: { amount: '0.0000001' } })],
    ['a price with an exponent', manifestOf('http://a.test/', { pricing: { amount: '1e3' } })],
    ['a price without an amount', manifestOf('http://a.test/', { pricing: {} })],
    ['another currency', manifestOf('http://a.test/', { pricing: { amount: '1', currency: 'EUR' } })],
    ['a tool name in capitals', manifestOf('http://a.test/', { agentToolName: 'Weather' })],
    ['a tool name of 65 characters', manifestOf('http://a.test/', { agentToolName: 'a'.repeat(65) })],
    ['a tool name like a service id', manifestOf('http://a.test/', { agentToolName: 'svc_0123456789' })],
    ['a tag that is not text', manifestOf('http://a.test/', { tags: [1] })],
    [
      'too many tags',
      manifestOf('http://a.test/', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }),
    ],
    [
      'a health path on another host',
      manifestOf('http://a.test/', { healthCheck: { path: '//evil.test/' } }),
    ],
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

  test.each([
    ['INVALID_MANIFEST', 'nested deeper than a manifest allows', 400],
    ['INVALID_REQUEST', 'nested deeper than any JSON allows, without a stack overflow', 20_000],
  ])('%s for governance %s', async (code, _, depth) => {
    const governance = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const answer = await fetch(`${on.url}/api/v1/services`, {
      method: 'POST',
      headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
      body: `{"serviceName":"x","invoke":{"targets":[{"url":"${target.url}"}]},"governance":${governance}}`,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code })
  })

  test.each(['0', '10000', 0.05, '10000.000000'])('accepts a price of %s', async amount => {
    const service = await alice.register(manifestOf(target.url, { pricing: { amount } }))
    const pricing = { amount: Number(amount).toFixed(6), currency: 'USDC' }
    expect(service).toMatchObject({ serviceKind: 'api', priceModel: 'fixed', pricing })
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

  test('accepts a complete record, and ignores its read-only members', async () => {
    const service = await alice.register(
      manifestOf(target.url, {
        ownerAddress: bob.address,
        status: 'deleted',
        hasUpstreamHeaders: true,
        createdAt: '2020-01-01',
        health: {},
        runtimeAvailable: false,
      }),
    )
    expect(service).toMatchObject({ ownerAddress: alice.address, status: 'active', isActive: true })
    expect(service).toMatchObject({ hasUpstreamHeaders: false, runtimeAvailable: true })
    expect(Date.parse(service.createdAt)).toBeGreaterThan(Date.now() - 60_000)
  })

  test.each([
    [{ pricing: { amuont: '1' } }, 'pricing: Unknown member "amuont". Did you mean "amount"?'],
    [{ priceUsdc: '1' }, 'Unknown member "priceUsdc".'],
    [{ inputPricePer1MTokenUsdc: '1' }, 'Did you mean "inputPricePer1MTokensUsdc"?'],
    [{ owner: '0x0' }, 'Unknown member "owner". Did you mean "ownerAddress"?'],
    [
      { invoke: { targets: [{ url: 'http://a.test/', wieght: 1 }] } },
      'invoke.targets.0: Unknown member "wieght". Did you mean "weight"?',
    ],
  ])('INVALID_REQUEST naming the member for %j', async (more, message) => {
    const answer = await alice.ask('POST', '/services', manifestOf(target.url, more))
    expect(answer).toMatchObject(refusal('INVALID_REQUEST', 400))
    expect(answer.body.message).toContain(message)
  })

  test.each([{ isActive: false }, { status: 'paused' }, { status: 'inactive', isActive: false }])(
    'registers a service with %j, neither listed nor probed until it is activated',
    async paused => {
      const probesBefore = target.requests.length
      const { body } = await alice.ask('POST', '/services', manifestOf(target.url, paused))
      expect(body).toMatchObject({
        status: 'inactive',
        service: { isActive: false, runtimeAvailable: false },
      })
      expect(target.requests.length).toBe(probesBefore)
      const { serviceId } = body as unknown as { serviceId: string }
      expect(await readCallable(on.deps.db, serviceId)).toBeUndefined()
      const put = await alice.ask('PUT', `/services/${serviceId}`, { status: 'active' })
      expect(put.body).toMatchObject({
        isActive: true,
        service: { status: 'active', runtimeAvailable: true },
      })
    },
  )

  test('INVALID_MANIFEST for isActive and status that contradict each other', async () => {
    const answer = await alice.ask(
      'POST',
      '/services',
      manifestOf(target.url, { isActive: true, status: 'paused' }),
    )
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
    expect(answer.body.message).toBe('status: Contradicts isActive. Send one of them.')
  })
})
