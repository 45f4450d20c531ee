import { usdc } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noticeOf, type PriceState, pricingInForce } from './price-notice-rules.ts'
import type { Pricing, TokenPricing } from './pricing-rules.ts'

const NOTICE_MS = 3_600_000

const fixed = (price: bigint): Pricing => ({ model: 'fixed', price: usdc(price) })
const metered = (terms: Partial<TokenPricing> = {}): TokenPricing => ({
  model: 'token_metered',
  inputPricePer1M: usdc(10n),
  outputPricePer1M: usdc(20n),
  cacheReadPricePer1M: usdc(1n),
  cacheWritePricePer1M: usdc(12n),
  defaultMaxOutputTokens: 100,
  maxAutoHold: usdc(1_000n),
  holdBufferBps: 12_000,
  mediaTokens: 2_000,
  contextTokens: null,
  dialect: 'openai',
  outputLimitField: null,
  upstreamModel: 'one',
  modelFamily: null,
  inputModalities: null,
  ...terms,
})

/** The state after a save at a time, and as of a later time. */
function save(state: PriceState, saved: Pricing, at: number): PriceState {
  const notice = noticeOf(asOf(state, at), saved)
  if (notice === null) return { pricing: saved, notice: null }
  const endsAt = notice.keepsEnd ? (state.notice?.endsAt ?? new Date(0)) : new Date(at + NOTICE_MS)
  return { pricing: saved, notice: { pricing: notice.pricing, endsAt, leftMs: endsAt.getTime() - at } }
}
const asOf = (state: PriceState, at: number): PriceState =>
  state.notice !== null && state.notice.endsAt.getTime() <= at ? { ...state, notice: null } : state

const saved = (pricing: Pricing): PriceState => ({ pricing, notice: null })
const inForce = (state: PriceState, at: number) => pricingInForce(asOf(state, at))

describe('the terms in force', () => {
  test('stay during the notice of a price raise, then change to the new ones', () => {
    const raised = save(saved(fixed(1n)), fixed(9n), 0)
    expect(inForce(raised, NOTICE_MS - 1)).toEqual(fixed(1n))
    expect(inForce(raised, NOTICE_MS)).toEqual(fixed(9n))
  })

  test('change at once when a price goes down, also during a notice and between free and paid', () => {
    expect(save(saved(fixed(9n)), fixed(1n), 0)).toEqual(saved(fixed(1n)))
    const raised = save(saved(fixed(5n)), fixed(9n), 0)
    expect(save(raised, fixed(2n), 1)).toEqual(saved(fixed(2n)))
    const paid = save(saved(fixed(0n)), fixed(9n), 0)
    expect(inForce(paid, 1)).toEqual(fixed(0n))
    expect(save(paid, fixed(0n), 2)).toEqual(saved(fixed(0n)))
  })

  test('change per member: lower prices at once, higher ones after the notice, non-prices at once', () => {
    const change = { inputPricePer1M: usdc(11n), outputPricePer1M: usdc(19n), upstreamModel: 'two' }
    const state = save(saved(metered()), metered(change), 0)
    expect(inForce(state, 1)).toEqual(metered({ ...change, inputPricePer1M: usdc(10n) }))
    expect(inForce(state, NOTICE_MS)).toEqual(metered(change))
  })

  test.each<Partial<TokenPricing>>([
    { inputPricePer1M: usdc(11n) },
    { outputPricePer1M: usdc(21n) },
    { defaultMaxOutputTokens: 101 },
    { maxAutoHold: usdc(1_001n) },
    { holdBufferBps: 12_001 },
    { cacheReadPricePer1M: usdc(2n) },
    { cacheWritePricePer1M: usdc(13n) },
    // Cached tokens then cost what all input does.
    { cacheReadPricePer1M: null },
    { mediaTokens: 2_001 },
    { contextTokens: 8_000 },
  ])('stay when %o goes up', change => {
    expect(inForce(save(saved(metered()), metered(change), 0), 1)).toEqual(metered())
  })

  test('have a first price for cached tokens at once when below that of input, else after the notice', () => {
    const none = saved(metered({ cacheReadPricePer1M: null, cacheWritePricePer1M: null }))
    const cheaper = metered({ cacheReadPricePer1M: usdc(9n), cacheWritePricePer1M: null })
    expect(save(none, cheaper, 0)).toEqual(saved(cheaper))
    const dearer = metered({ cacheReadPricePer1M: usdc(11n), cacheWritePricePer1M: null })
    expect(inForce(save(none, dearer, 0), 1)).toMatchObject({ cacheReadPricePer1M: null })
    expect(inForce(save(none, dearer, 0), NOTICE_MS)).toEqual(dearer)
  })

  test('change when the first notice ends if a second save announces no more', () => {
    const raised = save(saved(fixed(1n)), fixed(9n), 0)
    const less = save(raised, fixed(7n), 1_000)
    expect([inForce(less, NOTICE_MS - 1), inForce(less, NOTICE_MS)]).toEqual([fixed(1n), fixed(7n)])
    const more = save(raised, fixed(10n), 1_000)
    expect([inForce(more, NOTICE_MS), inForce(more, NOTICE_MS + 1_000)]).toEqual([fixed(1n), fixed(10n)])
  })

  test('never exceed what was shown for that time a whole notice earlier', () => {
    const quantities = fc.record({
      inputPricePer1M: fc.bigInt(0n, 5n).map(usdc),
      outputPricePer1M: fc.bigInt(0n, 5n).map(usdc),
      defaultMaxOutputTokens: fc.integer({ min: 1, max: 5 }),
    })
    const saves = fc.array(fc.tuple(fc.nat(NOTICE_MS), quantities), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(saves, fc.nat(6 * NOTICE_MS), (changes, look) => {
        const [shown, met] = [stateAt(changes, look), stateAt(changes, look + NOTICE_MS)]
        const promised = inForce(shown, look + NOTICE_MS) as TokenPricing
        const paid = inForce(met, look + NOTICE_MS) as TokenPricing
        for (const name of ['inputPricePer1M', 'outputPricePer1M', 'defaultMaxOutputTokens'] as const) {
          expect(paid[name] <= promised[name]).toBe(true)
        }
      }),
    )
  })
})

/** Returns the stored pricing at a time, after the saves so far, each some ms after the previous one. */
function stateAt(changes: readonly (readonly [number, Partial<TokenPricing>])[], time: number): PriceState {
  let state = saved(metered())
  let at = 0
  for (const [gap, terms] of changes) {
    at += gap
    if (at > time) break
    state = save(state, metered(terms), at)
  }
  return state
}
