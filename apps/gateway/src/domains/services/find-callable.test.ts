import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../test/kit/gateway/service-gateway.ts'
import type { TestTarget } from '../../../test/kit/provider/test-target.ts'
import { llmManifestOf, manifestOf } from '../../../test/kit/world/manifests.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, stop } = await startServiceFixture())
})
afterAll(() => stop())

const priceOf = async (reference: string) => {
  const pricing = (await on.directory.find(reference))?.pricing
  return pricing?.model === 'fixed' ? pricing.price : pricing
}

describe('the directory of callable services', () => {
  test('returns what a call needs, by id and by name', async () => {
    const service = await alice.register(
      manifestOf(target.url, {
        invoke: {
          targets: [{ url: target.url, weight: 2 }],
          method: 'PUT',
          timeoutMs: 700,
          request: { body: { type: 'object', required: ['city'] } },
          response: { body: { type: 'array' } },
        },
      }),
    )
    const found = await on.directory.find(service.serviceId)
    expect(found).toMatchObject({
      id: service.serviceId,
      version: 1n,
      agentToolName: service.agentToolName,
      serviceName: 'Weather',
      provider: alice.wallet,
      pricing: { model: 'fixed', price: 50_000n },
      method: 'PUT',
      timeoutMs: 700,
      upstreamHeaders: {},
      targets: [{ url: target.url, weight: 2, isHealthy: true }],
    })
    expect(found?.validateRequest({ city: 'Bern' })).toBeNull()
    expect(found?.validateRequest({})).toEqual([
      { path: 'payload.body', message: "must have required property 'city'" },
    ])
    expect(found?.validateResponse({})).toEqual([{ path: 'result', message: 'must be array' }])
    expect(await on.directory.find(service.agentToolName)).toBe(found)
  })

  test('has a service with a schema that is refused today, which asks for nothing', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    const loop = { body: { items: { $ref: '#' } } }
    await on.deps.db.query(
      sql`update services set request = ${loop}, response = ${loop}, version = version + 1 where id = ${serviceId}`,
    )
    on.directory.forget(serviceId)
    const found = await on.directory.find(serviceId)
    expect([found?.validateRequest([]), found?.validateResponse([[]])]).toEqual([null, null])
  })

  test('has the whole token pricing of an LLM service, and its changes at once', async () => {
    const { serviceId } = await alice.register(
      llmManifestOf(target.url, {
        defaultMaxOutputTokens: 256,
        maxAutoHoldUsdc: '0.5',
        holdBufferMultiplier: 1.25,
        llmDialect: 'anthropic',
        outputLimitField: 'max_tokens',
        upstreamModel: 'claude-small-1',
        modelFamily: 'small',
        inputModalities: ['text', 'image'],
        contextTokens: 200_000,
        cacheReadPricePer1M: '0.3',
      }),
    )
    const before = await on.directory.find(serviceId)
    expect(before).toMatchObject({ version: 1n, method: 'POST' })
    expect(before?.pricing).toEqual({
      model: 'token_metered',
      inputPricePer1M: 3_000_000n,
      outputPricePer1M: 15_000_000n,
      cacheReadPricePer1M: 300_000n,
      cacheWritePricePer1M: null,
      defaultMaxOutputTokens: 256,
      maxAutoHold: 500_000n,
      holdBufferBps: 12_500,
      dialect: 'anthropic',
      outputLimitField: 'max_tokens',
      upstreamModel: 'claude-small-1',
      modelFamily: 'small',
      inputModalities: ['text', 'image'],
      mediaTokens: 2_000,
      contextTokens: 200_000,
    })
    await alice.ask('PUT', `/services/${serviceId}`, {
      outputPricePer1MTokensUsdc: '14',
      outputLimitField: null,
      upstreamModel: null,
    })
    const after = await on.directory.find(serviceId)
    expect(after?.version).toBe(2n)
    expect(after?.pricing).toEqual({
      ...before?.pricing,
      outputPricePer1M: 14_000_000n,
      outputLimitField: null,
      upstreamModel: null,
    })
  })

  test('does not find services that cannot be called', async () => {
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

  test('reads the database once for concurrent lookups, and again after two seconds or an invalidation', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    on.directory.forget(serviceId)
    const found = await Promise.all(Array.from({ length: 50 }, () => on.directory.find(serviceId)))
    expect(new Set(found).size).toBe(1)
    await on.deps.db.query(sql`update services set price = 7 where id = ${serviceId}`)
    expect(await priceOf(serviceId)).toBe(50_000n)
    on.advance(2_000)
    expect(await priceOf(serviceId)).toBe(7n)
    await on.deps.db.query(sql`update services set price = 8 where id = ${serviceId}`)
    on.directory.forget(serviceId)
    expect(await priceOf(serviceId)).toBe(8n)
  })

  test('shows a change by the provider at once', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    await on.directory.find(serviceId)
    await alice.ask('PUT', `/services/${serviceId}`, { pricing: { amount: '1' } })
    expect(await priceOf(serviceId)).toBe(1_000_000n)
    await alice.ask('PUT', `/services/${serviceId}`, { isActive: false })
    expect(await on.directory.find(serviceId)).toBeNull()
  })
})
