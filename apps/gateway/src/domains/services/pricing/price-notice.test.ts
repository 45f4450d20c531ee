import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
  startServiceGateway,
} from '../../../../test/kit/gateway/service-gateway.ts'
import type { TestTarget } from '../../../../test/kit/provider/test-target.ts'
import { llmManifestOf, manifestOf } from '../../../../test/kit/world/manifests.ts'
import type { CamelCase } from '../../../ports.ts'
import { createCatalogue } from '../discovery/catalogue.ts'
import { readListed } from '../discovery/listing-store.ts'
import { createServiceDirectory } from '../find-callable.ts'
import { trueMsOf } from './price-notice-rules.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, stop } = await startServiceFixture())
})
afterAll(() => stop())

const low = { inputPricePer1MTokensUsdc: '3.000000', outputPricePer1MTokensUsdc: '15.000000' }
const high = { inputPricePer1MTokensUsdc: '4.000000', outputPricePer1MTokensUsdc: '15.000000' }

/** A manual clock. */
function stoppedClock() {
  let at = 1_000_000
  const clock = { ...on.deps.clock, now: () => at }
  return { clock, move: (ms: number) => (at += ms) }
}
type Body = { readonly body: Record<string, unknown> }
const scheduledIn = ({ body }: Body) => (body.service as Record<string, unknown>).scheduledPricing

describe('a price raise of a model', () => {
  test('is shown as scheduled beside the terms in force, wherever the service is', async () => {
    const { serviceId } = await alice.register(llmManifestOf(target.url, { agentToolName: 'noticed' }))
    const saved = await alice.ask('PUT', `/services/${serviceId}`, {
      inputPricePer1MTokensUsdc: '4',
      defaultMaxOutputTokens: 5_000,
    })
    const [row] = await on.deps.db.query<{ at: Date; seconds: number }>(sql`
      select notice_ends_at as at, extract(epoch from notice_ends_at - updated_at)::float8 as seconds
      from services where id = ${serviceId}`)
    expect(row?.seconds).toBeCloseTo(3_600, -1)
    const shown = {
      ...low,
      pricing: { ...low, currency: 'USDC' },
      defaultMaxOutputTokens: 4_096,
      scheduledPricing: {
        ...high,
        currency: 'USDC',
        effectiveAt: row?.at.toISOString(),
        defaultMaxOutputTokens: 5_000,
        maxAutoHoldUsdc: '1.000000',
        holdBufferMultiplier: 1.2,
      },
    }
    expect(saved.body.service).toMatchObject(shown)
    const answers = await Promise.all([
      alice.ask('GET', `/services/${serviceId}`).then(({ body }) => body.service),
      on.ask('GET', `/services/${serviceId}`).then(({ body }) => body.service),
      on.ask('GET', '/services/discover?q=noticed').then(({ body }) => body[0]),
    ])
    for (const answer of answers) expect(answer).toMatchObject(shown)
  })

  test('takes effect in lists on time, although nothing was written and their pages are cached', async () => {
    const { clock, move } = stoppedClock()
    const catalogue = createCatalogue({ db: on.deps.db, clock })
    const page = (json: string) =>
      catalogue.page({ ids: [], serial: 1 }, 'page', async () => ({ json, isWhole: true, trueMs: 700 }))
    expect(await page('low')).toBe('low')
    move(699)
    expect(await page('high')).toBe('low')
    move(1)
    expect(await page('high')).toBe('high')

    const { serviceId } = await alice.register(llmManifestOf(target.url))
    await alice.ask('PUT', `/services/${serviceId}`, high)
    const listed = await readListed(on.deps.db, [serviceId])
    expect(trueMsOf(listed)).toBeGreaterThan(0)
    expect(trueMsOf(listed)).toBeLessThanOrEqual(3_600_000)
    await on.deps.db.query(sql`update services set notice_ends_at = now() where id = ${serviceId}`)
    expect(trueMsOf(await readListed(on.deps.db, [serviceId]))).toBeNull()
    const { service } = (await on.ask('GET', `/services/${serviceId}`)).body
    expect(service).toMatchObject(high)
    expect(service).not.toHaveProperty('scheduledPricing')
  })

  test('takes effect for calls on time, although the service was just cached', async () => {
    const { serviceId } = await alice.register(llmManifestOf(target.url))
    await alice.ask('PUT', `/services/${serviceId}`, high)
    const { clock, move } = stoppedClock()
    let leftMs: number | null = 700
    const directory = createServiceDirectory({
      ...on.deps,
      clock,
      db: {
        ...on.deps.db,
        async query<Row extends CamelCase<Row>>(statement: Parameters<typeof on.deps.db.query>[0]) {
          const rows = await on.deps.db.query<Row>(statement)
          const notices = rows.map(row => (row as { notice?: object | null }).notice)
          return rows.map((row, index) => ({
            ...row,
            notice: leftMs === null ? null : { ...notices[index], leftMs },
          }))
        },
      },
    })
    const inputPrice = async () => {
      const pricing = (await directory.find(serviceId))?.pricing
      return pricing?.model === 'token_metered' ? pricing.inputPricePer1M : null
    }
    expect(await inputPrice()).toBe(3_000_000n)
    leftMs = null
    move(699)
    expect(await inputPrice()).toBe(3_000_000n)
    move(1)
    expect(await inputPrice()).toBe(4_000_000n)
  })
})

test('a raise of a fixed price states the price without an assertion, and until when', async () => {
  const { serviceId } = await alice.register(manifestOf(target.url))
  const { body } = await alice.ask('PUT', `/services/${serviceId}`, { pricing: { amount: '1' } })
  const effectiveAt = expect.stringMatching(/Z$/)
  expect(body.service).toMatchObject({
    pricing: { amount: '1.000000', currency: 'USDC' },
    scheduledPricing: { amount: '1.000000', currency: 'USDC', amountUntilThen: '0.050000', effectiveAt },
  })
  const found = await on.directory.find(serviceId)
  expect(found?.pricing).toEqual({ model: 'fixed', price: 1_000_000n, listedPrice: 50_000n })
  const lowered = await alice.ask('PUT', `/services/${serviceId}`, { pricing: { amount: '0.01' } })
  expect(lowered.body.service).not.toHaveProperty('scheduledPricing')
})

test('a change of the description during a notice changes neither terms nor time', async () => {
  const { serviceId } = await alice.register(llmManifestOf(target.url))
  const raised = await alice.ask('PUT', `/services/${serviceId}`, high)
  const { body } = await alice.ask('PUT', `/services/${serviceId}`, { description: 'Better.' })
  expect(body.service).toMatchObject({ ...low, scheduledPricing: scheduledIn(raised) })
})

test('PRICE_NOTICE_SECONDS=0 lets every price take effect at once', async () => {
  const hasty = await startServiceGateway({ env: { PRICE_NOTICE_SECONDS: '0' } })
  try {
    const provider = await hasty.provider()
    const { serviceId } = await provider.register(llmManifestOf(target.url))
    const { body } = await provider.ask('PUT', `/services/${serviceId}`, high)
    expect(body.service).toMatchObject(high)
    expect(body.service).not.toHaveProperty('scheduledPricing')
  } finally {
    await hasty.stop()
  }
})
