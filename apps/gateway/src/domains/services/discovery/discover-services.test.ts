import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../../test/kit/gateway/service-gateway.ts'
import { refusal } from '../../../../test/kit/network/http.ts'
import type { TestTarget } from '../../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../../test/kit/world/manifests.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let bob: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, bob, stop } = await startServiceFixture())
})
afterAll(() => stop())

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
      ownerAddress: dora.address,
      isActive: true,
      status: 'active',
      runtimeAvailable: true,
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
  test('shows the summary publicly, and the whole service to its owner', async () => {
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

  test('SERVICE_NOT_FOUND for an unknown id', async () => {
    expect(await on.ask('GET', '/services/svc_nowhere')).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
  })
})

describe('GET /services/discover', () => {
  test('returns a public array of summaries of active, healthy services', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { serviceName: 'Summary of all' }))
    const { body, status } = await on.ask('GET', '/services/discover?search_query=summary%20of%20all')
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        serviceId,
        serviceName: 'Summary of all',
        agentToolName: 'summary-of-all',
        summary: 'Tells the weather.',
        serviceKind: 'api',
        priceModel: 'fixed',
        description: '',
        tags: [],
        status: 'active',
        isActive: true,
        pricing: { amount: '0.050000', currency: 'USDC' },
        runtimeAvailable: true,
        targetVerified: false,
      },
    ])
  })

  test('searches names and descriptions in any case, and takes wildcards literally', async () => {
    const { serviceId } = await alice.register(
      manifestOf(target.url, { serviceName: 'X', description: 'Ünique 100%_Ok\\' }),
    )
    const found = (query: string) => on.discovered(`&search_query=${encodeURIComponent(query)}`)
    for (const query of ['100%_ok', 'nique', '%_', 'Ok\\', ' 100% '])
      expect(await found(query)).toContain(serviceId)
    for (const query of ['1%k', '%%', '__', '_%', '\\\\']) expect(await found(query)).not.toContain(serviceId)
    expect(await found('')).toContain(serviceId)
  })

  test('bounds hostile searches', async () => {
    const long = await on.ask('GET', `/services/discover?search_query=${'%25_'.repeat(101)}`)
    expect(long).toMatchObject(refusal('INVALID_REQUEST', 400))
    const nul = await on.ask('GET', '/services/discover?search_query=%00')
    expect(nul).toMatchObject(refusal('INVALID_REQUEST', 400))
    const startedAt = performance.now()
    expect((await on.ask('GET', `/services/discover?search_query=${'%25a'.repeat(100)}`)).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test('clamps limit, and rejects one that is not a number', async () => {
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
    expect(await on.discovered()).not.toContain(serviceId)
  })
})
