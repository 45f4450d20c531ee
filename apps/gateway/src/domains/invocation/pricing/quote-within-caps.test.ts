import { formatUsdc, MAX_USDC, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import { prepareLlmRequest } from './llm-request-rules.ts'
import { type MeteredOffer, quoteMetered } from './metering-rules.ts'
import { quoteWithinCaps } from './quote-within-caps.ts'

const DOLLAR = usdc(1_000_000n)
const offer: MeteredOffer = {
  inputPricePer1M: DOLLAR,
  outputPricePer1M: DOLLAR,
  maxAutoHold: usdc(1_000n),
  holdBufferBps: 10_000,
  cacheReadPricePer1M: null,
  cacheWritePricePer1M: null,
}
const asked = prepareLlmRequest(
  {
    dialect: 'openai',
    defaultMaxOutputTokens: 100,
    outputLimitField: null,
    upstreamModel: 'm',
    targets: [],
    mediaTokens: 2_000,
    contextTokens: null,
  },
  { messages: [] },
  { canStream: false, wantsStream: false },
)
const prompt = asked.promptTokens
const quote = (maxCost: number | null, perCall: number | null, of = offer) => {
  const micros = (amount: number | null): Usdc | null => (amount === null ? null : usdc(BigInt(amount)))
  try {
    return quoteWithinCaps(of, asked, { maxCost: micros(maxCost), perCall: micros(perCall) })
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, ...error.context }
    throw error
  }
}

describe('the per-call cap of a credential', () => {
  test('leaves quotes within it unchanged', () => {
    expect(quote(null, prompt + 100)).toEqual(quoteMetered(offer, asked, null))
    expect(quote(prompt + 5, prompt + 5)).toEqual(quoteMetered(offer, asked, usdc(BigInt(prompt + 5))))
    expect(quote(null, null)).toEqual(quoteMetered(offer, asked, null))
  })

  test.each([
    ['without a cap of the caller', null, 'auto'],
    ['with a higher one', 900, 'explicit'],
  ])('lowers the output limit to what it covers, %s', (_, maxCost, preAuthMode) => {
    expect(quote(maxCost, prompt + 7)).toMatchObject({
      hold: BigInt(prompt + 7),
      llm: { maxOutputTokens: 7 },
      metering: { maxOutputTokens: 7, preAuthMode },
    })
  })

  test('refuses calls that it does not cover; a caller’s cap that is too low is reported first', () => {
    const least = { code: 'BUDGET_EXHAUSTED', limit: 'credential_per_call' }
    expect(quote(null, prompt)).toMatchObject(least)
    expect(quote(900, prompt)).toMatchObject(least)
    expect(quote(null, prompt + 1)).toMatchObject({ hold: BigInt(prompt + 1) })
    expect(quote(prompt, prompt - 1)).toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  test('names what is required, also above the largest amount that can be written', () => {
    const extreme = { ...offer, inputPricePer1M: MAX_USDC, outputPricePer1M: ZERO }
    const long = { ...asked, promptTokens: 2_000_000 }
    const refusal = expect.objectContaining({
      code: 'BUDGET_EXHAUSTED',
      context: expect.objectContaining({ requiredUsdc: formatUsdc(usdc(2n * MAX_USDC)) }),
    })
    expect(() => quoteWithinCaps(extreme, long, { maxCost: null, perCall: usdc(10n) })).toThrow(refusal)
  })

  test('does not raise the automatic hold limit of the service', () => {
    const small = { ...offer, maxAutoHold: usdc(50n) }
    expect(quote(null, 900, small)).toMatchObject({ code: 'LLM_AUTO_HOLD_LIMIT_EXCEEDED' })
  })
})
