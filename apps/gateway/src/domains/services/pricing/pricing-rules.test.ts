import { parseUsdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import { type Offered, type Pricing, pricingFrom } from './pricing-rules.ts'

const usd = (amount: string) => parseUsdc(amount)
const prices = { inputPricePer1MTokensUsdc: usd('3'), outputPricePer1MTokensUsdc: usd('15') }
const fixed: Pricing = { model: 'fixed', price: usd('0.05') }
const metered: Pricing = {
  model: 'token_metered',
  inputPricePer1M: usd('1'),
  outputPricePer1M: usd('2'),
  cacheReadPricePer1M: usd('0.1'),
  cacheWritePricePer1M: usd('1.25'),
  defaultMaxOutputTokens: 10,
  maxAutoHold: usd('0.5'),
  holdBufferBps: 20_000,
  dialect: 'anthropic',
  outputLimitField: 'max_tokens',
  upstreamModel: 'm-1',
  modelFamily: 'm',
  inputModalities: ['text', 'image'],
  mediaTokens: 900,
  contextTokens: 200_000,
}
const assumed: Pricing = {
  model: 'token_metered',
  inputPricePer1M: usd('3'),
  outputPricePer1M: usd('15'),
  cacheReadPricePer1M: null,
  cacheWritePricePer1M: null,
  defaultMaxOutputTokens: 4_096,
  maxAutoHold: usd('1'),
  holdBufferBps: 12_000,
  dialect: 'openai',
  outputLimitField: null,
  upstreamModel: null,
  modelFamily: null,
  inputModalities: null,
  mediaTokens: 2_000,
  contextTokens: null,
}

/** Paths of the members that are refused. */
const faultsOf = (offered: Offered, before: Pricing | null = null): string[] => {
  try {
    pricingFrom(offered, before)
    return []
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'INVALID_MANIFEST') throw error
    return (error.context.issues as { path: string }[]).map(({ path }) => path)
  }
}

describe('the pricing of a new service', () => {
  test('is per call by default, and free without a price', () => {
    expect(pricingFrom({}, null)).toEqual({ model: 'fixed', price: 0n })
    expect(pricingFrom({ pricing: null, serviceKind: null, priceModel: null }, null)).toMatchObject({
      price: 0n,
    })
    expect(pricingFrom({ pricing: { amount: usd('0.05') } }, null)).toEqual(fixed)
    expect(pricingFrom({ pricing: { amount: usd('0.05') }, priceModel: 'fixed' }, null)).toEqual(fixed)
  })

  test('is per token by kind or price model, with defaults for the rest', () => {
    expect(pricingFrom({ serviceKind: 'llm', ...prices }, null)).toEqual(assumed)
    expect(pricingFrom({ priceModel: 'token_metered', ...prices }, null)).toEqual(assumed)
    expect(pricingFrom({ serviceKind: 'llm', priceModel: 'token_metered', pricing: prices }, null)).toEqual(
      assumed,
    )
  })

  test('takes each price from the top level or inside pricing, and both when they agree', () => {
    const { inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc } = prices
    const split = { inputPricePer1MTokensUsdc, pricing: { outputPricePer1MTokensUsdc } }
    expect(pricingFrom({ serviceKind: 'llm', ...split }, null)).toEqual(assumed)
    expect(pricingFrom({ serviceKind: 'llm', ...prices, pricing: prices }, null)).toEqual(assumed)
    expect(
      faultsOf({ serviceKind: 'llm', ...prices, pricing: { inputPricePer1MTokensUsdc: usd('4') } }),
    ).toEqual(['inputPricePer1MTokensUsdc'])
  })

  test('treats null as the default', () => {
    const cleared = { defaultMaxOutputTokens: null, maxAutoHoldUsdc: null, holdBufferMultiplier: null }
    expect(
      pricingFrom({ serviceKind: 'llm', ...prices, ...cleared, llmDialect: null, upstreamModel: null }, null),
    ).toEqual(assumed)
  })

  test.each<[string, Offered, string[]]>([
    ['llm at a fixed price', { serviceKind: 'llm', priceModel: 'fixed', ...prices }, ['priceModel']],
    ['api with token metering', { serviceKind: 'api', priceModel: 'token_metered' }, ['priceModel']],
    [
      'llm without prices',
      { serviceKind: 'llm' },
      ['inputPricePer1MTokensUsdc', 'outputPricePer1MTokensUsdc'],
    ],
    [
      'llm with one price',
      { serviceKind: 'llm', inputPricePer1MTokensUsdc: usd('1') },
      ['outputPricePer1MTokensUsdc'],
    ],
    [
      'llm with a price of null',
      { serviceKind: 'llm', ...prices, inputPricePer1MTokensUsdc: null },
      ['inputPricePer1MTokensUsdc'],
    ],
    [
      'llm with a price per call',
      { serviceKind: 'llm', ...prices, pricing: { amount: usd('0') } },
      ['pricing.amount'],
    ],
    ['llm by GET', { serviceKind: 'llm', ...prices, invoke: { method: 'GET' } }, ['invoke.method']],
    ['api without an amount', { pricing: { currency: 'USDC' } }, ['pricing.amount']],
    ['api with an amount of null', { pricing: { amount: null } }, ['pricing.amount']],
    ['api with token prices', { ...prices }, ['inputPricePer1MTokensUsdc', 'outputPricePer1MTokensUsdc']],
    [
      'api with a token price inside pricing',
      { pricing: { amount: usd('1'), outputPricePer1MTokensUsdc: usd('1') } },
      ['pricing.outputPricePer1MTokensUsdc'],
    ],
    ['api with defaultMaxOutputTokens', { defaultMaxOutputTokens: 5 }, ['defaultMaxOutputTokens']],
    ['api with maxAutoHoldUsdc', { maxAutoHoldUsdc: usd('1') }, ['maxAutoHoldUsdc']],
    ['api with holdBufferMultiplier', { holdBufferMultiplier: 10_000 }, ['holdBufferMultiplier']],
    ['api with llmDialect', { serviceKind: 'api', llmDialect: 'openai' }, ['llmDialect']],
    ['api with mediaTokens', { mediaTokens: 5 }, ['mediaTokens']],
    ['api with modelFamily', { modelFamily: 'm' }, ['modelFamily']],
    ['api with contextTokens', { contextTokens: 5 }, ['contextTokens']],
    ['api with upstreamModel', { priceModel: 'fixed', upstreamModel: 'm' }, ['upstreamModel']],
  ])('is rejected: %s', (_, offered, paths) => {
    expect(faultsOf(offered)).toEqual(paths)
  })
})

describe('the pricing of a changed service', () => {
  test('stays without a given member', () => {
    expect(pricingFrom({}, fixed)).toEqual(fixed)
    expect(pricingFrom({}, metered)).toEqual(metered)
    expect(pricingFrom({ serviceKind: 'llm', priceModel: 'token_metered' }, metered)).toEqual(metered)
    expect(pricingFrom({ invoke: { method: 'GET' } }, fixed)).toEqual(fixed)
  })

  test('has each given member replaced, and an optional one cleared by null', () => {
    expect(pricingFrom({ inputPricePer1MTokensUsdc: usd('9') }, metered)).toEqual({
      ...metered,
      inputPricePer1M: usd('9'),
    })
    const names = { outputLimitField: null, upstreamModel: null, modelFamily: null }
    const cleared = { inputModalities: null, maxAutoHoldUsdc: null, mediaTokens: null, contextTokens: null }
    expect(pricingFrom({ ...names, ...cleared }, metered)).toEqual({
      ...metered,
      mediaTokens: 2_000,
      contextTokens: null,
      outputLimitField: null,
      upstreamModel: null,
      modelFamily: null,
      inputModalities: null,
      maxAutoHold: usd('1'),
    })
    expect(pricingFrom({ holdBufferMultiplier: 10_000, llmDialect: 'openai' }, metered)).toEqual({
      ...metered,
      holdBufferBps: 10_000,
      dialect: 'openai',
    })
    expect(pricingFrom({ pricing: prices }, metered)).toEqual({
      ...metered,
      inputPricePer1M: usd('3'),
      outputPricePer1M: usd('15'),
    })
  })

  test.each<[string, Offered, Pricing, string[]]>([
    ['an api changed to llm', { serviceKind: 'llm', ...prices }, fixed, ['serviceKind']],
    ['an api changed to token metering', { priceModel: 'token_metered' }, fixed, ['priceModel']],
    ['an llm changed to api', { serviceKind: 'api' }, metered, ['serviceKind']],
    ['an llm changed to fixed', { priceModel: 'fixed' }, metered, ['priceModel']],
    ['a price of null', { outputPricePer1MTokensUsdc: null }, metered, ['outputPricePer1MTokensUsdc']],
    [
      'pricing, replaced whole, without a price',
      { pricing: { inputPricePer1MTokensUsdc: usd('1') } },
      metered,
      ['outputPricePer1MTokensUsdc'],
    ],
    ['a price per call of an llm', { pricing: { ...prices, amount: usd('1') } }, metered, ['pricing.amount']],
    ['an llm by PUT', { invoke: { method: 'PUT' } }, metered, ['invoke.method']],
    ['a token price of an api', prices, fixed, Object.keys(prices)],
  ])('is rejected: %s', (_, offered, before, paths) => {
    expect(faultsOf(offered, before)).toEqual(expect.arrayContaining(paths))
  })
})
