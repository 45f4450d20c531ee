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
import { readService } from './store.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let bob: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, bob, stop } = await startServiceFixture())
})
afterAll(() => stop())

describe('PUT /services/:id', () => {
  test('returns serviceId and isActive, and removes a service from discovery and back', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    const off = await alice.ask('PUT', `/services/${serviceId}`, { isActive: false })
    expect(off).toMatchObject({
      status: 200,
      body: {
        status: 'success',
        service: { serviceId, isActive: false, status: 'inactive', runtimeAvailable: false },
      },
    })
    expect(await on.discovered()).not.toContain(serviceId)
    const back = await alice.ask('PUT', `/services/${serviceId}`, { isActive: true })
    expect(back.body).toMatchObject({ service: { serviceId, isActive: true, status: 'active' } })
    expect(await on.discovered()).toContain(serviceId)
  })

  test('replaces each given member whole, and keeps the others', async () => {
    const before = await alice.register(
      manifestOf(target.url, {
        tags: ['a', 'b'],
        description: 'long',
        governance: { a: 1, b: 2 },
        healthCheck: { path: '/h' },
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
      serviceName: 'Weather',
      description: 'long',
      pricing: before.pricing,
      tags: ['c'],
      governance: { c: 3 },
      healthCheck: null,
      invoke: {
        method: 'POST',
        timeoutMs: 30_000,
        streamIdleTimeoutMs: 60_000,
        streamMaxMs: 600_000,
        request: {},
        targets: [{ url: `${target.url}/2`, weight: 1, healthPath: null, isHealthy: true }],
      },
    })
  })

  test('clears optional members with null', async () => {
    const { serviceId } = await alice.register(
      manifestOf(target.url, {
        description: 'long',
        tags: ['a'],
        governance: {},
        payoutAccount: alice.address,
      }),
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

  test('increments the version with every change, and only then', async () => {
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

  test('keeps the health of an unchanged target', async () => {
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
          { url: target.url, weight: 5, healthPath: null, isHealthy: true },
        ],
      },
    })
  })

  test('ignores ownerAddress, serviceId and other read-only members', async () => {
    const mine = await alice.register(manifestOf(target.url))
    const others = await bob.register(manifestOf(target.url))
    const { body } = await alice.ask('PUT', `/services/${mine.serviceId}`, {
      ownerAddress: bob.address,
      serviceId: others.serviceId,
      status: 'deleted',
      createdAt: '2020-01-01',
      runtimeAvailable: false,
    })
    expect(body.service).toMatchObject({
      serviceId: mine.serviceId,
      ownerAddress: alice.address,
      status: 'active',
      runtimeAvailable: true,
    })
    expect(await readService(on.deps.db, others.serviceId)).toMatchObject({ version: 1n, owner: bob.wallet })
  })

  test('treats status as isActive, which wins, so that a record can be sent back changed', async () => {
    const mine = await alice.register(manifestOf(target.url))
    const path = `/services/${mine.serviceId}`
    const paused = await alice.ask('PUT', path, { status: 'paused' })
    expect(paused.body).toMatchObject({ isActive: false, service: { status: 'inactive' } })
    const record = paused.body.service as object
    const resumed = await alice.ask('PUT', path, { ...record, isActive: true })
    expect(resumed.body).toMatchObject({ isActive: true, service: { status: 'active' } })
  })

  test('INVALID_REQUEST for an unknown member, and nothing changes', async () => {
    const mine = await alice.register(manifestOf(target.url))
    const changes = { serviceName: 'Renamed', pricing: { amount: '9', amuont: '0.01' } }
    const answer = await alice.ask('PUT', `/services/${mine.serviceId}`, changes)
    expect(answer).toMatchObject(refusal('INVALID_REQUEST', 400))
    expect(answer.body.message).toContain('"amuont"')
    expect(await readService(on.deps.db, mine.serviceId)).toMatchObject({ version: 1n })
  })

  test('SERVICE_NOT_FOUND for an unknown service or that of another wallet, and nothing changes', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    for (const id of [serviceId, 'svc_nowhere', 'nobodys-name', '%00', "x' or 1=1", 'é'.repeat(50)]) {
      const answer = await bob.ask('PUT', `/services/${encodeURIComponent(id)}`, { isActive: false })
      expect(answer).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
    }
    expect(await readService(on.deps.db, serviceId)).toMatchObject({ isActive: true, version: 1n })
  })

  test('resolves no host names for the service of another wallet', async () => {
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
    ['INVALID_MANIFEST', 'another kind', { serviceKind: 'llm' }],
    ['INVALID_MANIFEST', 'a token price', { inputPricePer1MTokensUsdc: '1' }],
    ['INVALID_MANIFEST', 'pricing without an amount', { pricing: { currency: 'USDC' } }],
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
    expect(await on.discovered()).not.toContain(serviceId)
    expect(await on.ask('GET', `/services/${serviceId}`)).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
    expect((await alice.ask('GET', `/services/${serviceId}`)).body).toMatchObject({
      service: { status: 'suspended' },
    })
  })
})
