import { parseUsdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../../test/kit/code-point.ts'
import { type LlmRequest, prepareLlmRequest } from './llm-request-rules.ts'
import { chargeUsage, type MeteredOffer, quoteMetered, type TokenPrices } from './metering-rules.ts'

const MILLION = 1_000_000n

const price = fc.bigInt(0n, 10_000n * MILLION).map(usdc)
const prices = fc.record({
  inputPricePer1M: price,
  outputPricePer1M: price,
  cacheReadPricePer1M: fc.option(price),
  cacheWritePricePer1M: fc.option(price),
})
/** Cached tokens cost what all input does. */
const UNCACHED = { cacheReadPricePer1M: null, cacheWritePricePer1M: null }
/** Token limits of a call that can have used any number of tokens. */
const BOUNDLESS = { maxInputTokens: null, maxOutputTokens: Number.MAX_SAFE_INTEGER }

const usageOf = (inputTokens: number, outputTokens: number, cacheReadTokens = 0, cacheWriteTokens = 0) => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
})

/** The dearest that an input token can be. */
const dearestOf = ({ inputPricePer1M: input, cacheReadPricePer1M, cacheWritePricePer1M }: TokenPrices) =>
  [input, cacheReadPricePer1M ?? input, cacheWritePricePer1M ?? input].reduce((one, other) =>
    one > other ? one : other,
  )
/** Usage whose whole input is of the dearest class. */
function dearest(offer: TokenPrices, inputTokens: number, outputTokens: number) {
  const top = dearestOf(offer)
  if (top === offer.inputPricePer1M) return usageOf(inputTokens, outputTokens)
  return top === offer.cacheReadPricePer1M
    ? usageOf(inputTokens, outputTokens, inputTokens)
    : usageOf(inputTokens, outputTokens, 0, inputTokens)
}
const offers: fc.Arbitrary<MeteredOffer> = fc
  .tuple(prices, fc.bigInt(0n, 1_000n * MILLION).map(usdc), fc.integer({ min: 10_000, max: 100_000 }))
  .map(([price, maxAutoHold, holdBufferBps]) => ({ ...price, maxAutoHold, holdBufferBps }))
const sizes = fc.record({
  promptBytes: fc.integer({ min: 2, max: 1_048_576 }),
  perChoice: fc.integer({ min: 1, max: 70_000 }),
  choices: fc.integer({ min: 1, max: 128 }),
})

const requestOf = (size: { promptBytes: number; perChoice: number; choices: number }): LlmRequest => ({
  ...({ shape: 'chat', body: '', isStreamed: false } as const),
  promptTokens: promptTokensOf(size),
  maxInputTokens: size.promptBytes + 1_024,
  members: { max_tokens: size.perChoice, max_completion_tokens: size.perChoice },
  choices: size.choices,
  maxOutputTokens: size.perChoice * size.choices,
})

/** Estimated tokens of a prompt. */
const promptTokensOf = ({ promptBytes }: { promptBytes: number }) => Math.ceil(promptBytes / 3) + 16

/** The formula as it is written down, in exact fractions: numerator over denominator, rounded up once. */
function writtenHold(offer: MeteredOffer, size: { promptBytes: number; perChoice: number; choices: number }) {
  const thirds = BigInt(size.promptBytes)
  const promptTokens = thirds / 3n + (thirds % 3n === 0n ? 0n : 1n) + 16n
  const outputTokens = BigInt(size.perChoice) * BigInt(size.choices)
  const numerator =
    (promptTokens * dearestOf(offer) + outputTokens * offer.outputPricePer1M) * BigInt(offer.holdBufferBps)
  const denominator = MILLION * 10_000n
  return numerator / denominator + (numerator % denominator === 0n ? 0n : 1n)
}

/** The hold, or the refusal. */
function quote(offer: MeteredOffer, size: Parameters<typeof requestOf>[0], maxCost: bigint | null = null) {
  try {
    return quoteMetered(offer, requestOf(size), maxCost === null ? null : usdc(maxCost))
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

describe('the hold of a metered call', () => {
  test('follows the documented formula, rounded up once, or is refused with that amount', () => {
    fc.assert(
      fc.property(offers, sizes, (offer, size) => {
        const expected = writtenHold(offer, size)
        const quoted = quote(offer, size)
        if (quoted instanceof GatewayError) {
          expect(expected).toBeGreaterThan(offer.maxAutoHold)
          expect(quoted.code).toBe('LLM_AUTO_HOLD_LIMIT_EXCEEDED')
          expect(parseUsdc(String(quoted.context.requiredHoldUsdc))).toBe(expected)
          expect(parseUsdc(String(quoted.context.maxAutoHoldUsdc))).toBe(offer.maxAutoHold)
        } else {
          expect(quoted.hold).toBe(expected)
          expect(quoted.hold).toBeLessThanOrEqual(offer.maxAutoHold)
          expect(quoted.metering.preAuthMode).toBe('auto')
        }
      }),
    )
  })

  test('matches the documented example', () => {
    const offer = {
      ...UNCACHED,
      inputPricePer1M: usdc(150_000n),
      outputPricePer1M: usdc(600_000n),
      maxAutoHold: usdc(MILLION),
      holdBufferBps: 12_000,
    }
    // (ceil(100 / 3) + 16) x 0.15 + 256 x 0.6 = 161.1 millionths of a USDC, times 1.2 = 193.32, rounded up
    expect(quote(offer, { promptBytes: 100, perChoice: 256, choices: 1 })).toMatchObject({ hold: 194n })
  })

  test('may equal the limit of the service, but not exceed it by one micro', () => {
    const offer = {
      ...UNCACHED,
      inputPricePer1M: ZERO,
      outputPricePer1M: usdc(MILLION),
      holdBufferBps: 10_000,
    }
    const size = { promptBytes: 2, perChoice: 100, choices: 1 }
    expect(quote({ ...offer, maxAutoHold: usdc(100n) }, size)).toMatchObject({ hold: 100n })
    expect(quote({ ...offer, maxAutoHold: usdc(99n) }, size)).toBeInstanceOf(GatewayError)
  })

  test('reports the largest affordable output limit when refused: that limit passes, one more does not', () => {
    let refusals = 0
    fc.assert(
      fc.property(offers, sizes, (offer, size) => {
        const refused = quote(offer, size)
        if (!(refused instanceof GatewayError)) return
        const affordable = Number(refused.context.affordableMaxTokens)
        expect(Number.isSafeInteger(affordable)).toBe(true)
        expect(affordable).toBeGreaterThanOrEqual(0)
        expect(affordable).toBeLessThan(size.perChoice)
        const isTaken = (perChoice: number) => !(quote(offer, { ...size, perChoice }) instanceof GatewayError)
        if (affordable > 0) expect(isTaken(affordable)).toBe(true)
        expect(isTaken(affordable + 1)).toBe(false)
        refusals += 1
      }),
      { numRuns: 400 },
    )
    expect(refusals).toBeGreaterThan(50)
  })

  const caps = fc.bigInt(0n, 10_000n * MILLION)

  test('equals the cap of the caller, and covers all usage within the lowered output limit', () => {
    fc.assert(
      fc.property(
        offers,
        sizes,
        caps,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (offer, size, cap, part) => {
          const quoted = quote(offer, size, cap)
          if (quoted instanceof GatewayError) return
          const { hold, llm, metering } = quoted
          expect(metering).toMatchObject({ preAuthMode: 'explicit', maxOutputTokens: llm.maxOutputTokens })
          expect(hold).toBe(cap)
          const perChoice = llm.maxOutputTokens / size.choices
          expect(perChoice).toBeLessThanOrEqual(size.perChoice)
          expect(perChoice).toBeGreaterThanOrEqual(1)
          expect(llm.members).toEqual({ max_tokens: perChoice, max_completion_tokens: perChoice })
          const usage = dearest(offer, Math.floor(promptTokensOf(size) * part), llm.maxOutputTokens)
          expect(chargeUsage({ ...offer, ...BOUNDLESS }, usage, usdc(cap)).cost).toBeLessThanOrEqual(cap)
          // Not lower than it must be: one token more for each choice would not be paid for.
          if (perChoice === size.perChoice) return
          const dearer = dearest(offer, promptTokensOf(size), llm.maxOutputTokens + size.choices)
          expect(chargeUsage({ ...offer, ...BOUNDLESS }, dearer, usdc(cap)).cost).toBeGreaterThan(cap)
        },
      ),
    )
  })

  test('is refused above the cap with the smallest cap that passes, and one micro less fails', () => {
    let refusals = 0
    fc.assert(
      fc.property(offers, sizes, caps, (offer, size, cap) => {
        const refused = quote(offer, size, cap / 1_000n)
        if (!(refused instanceof GatewayError)) return
        expect(refused.code).toBe('LIMIT_EXCEEDED')
        const required = parseUsdc(String(refused.context.requiredHoldUsdc))
        const usage = dearest(offer, promptTokensOf(size), size.choices)
        expect(chargeUsage({ ...offer, ...BOUNDLESS }, usage, usdc(0n)).cost).toBe(required)
        expect(quote(offer, size, required)).toMatchObject({ hold: required })
        expect(quote(offer, size, required - 1n)).toBeInstanceOf(GatewayError)
        refusals += 1
      }),
    )
    expect(refusals).toBeGreaterThan(10)
  })

  test('fits any cap, including 0, with the requested output limit when tokens are free', () => {
    const free = {
      ...UNCACHED,
      inputPricePer1M: ZERO,
      outputPricePer1M: ZERO,
      maxAutoHold: ZERO,
      holdBufferBps: 10_000,
    }
    const size = { promptBytes: 90, perChoice: 100, choices: 2 }
    expect(quote(free, size, 0n)).toMatchObject({ hold: 0n, llm: { maxOutputTokens: 200 } })
  })

  test('never decreases when the prompt, the output limit, a price or the buffer grows', () => {
    const grown = fc.record({
      promptBytes: fc.nat(1_000),
      perChoice: fc.nat(1_000),
      input: fc.bigInt(0n, MILLION),
      output: fc.bigInt(0n, MILLION),
      buffer: fc.nat(1_000),
    })
    const limitless = (offer: MeteredOffer) => ({ ...offer, maxAutoHold: usdc(10n ** 18n) })
    const holdOf = (offer: MeteredOffer, size: Parameters<typeof requestOf>[0]) =>
      quoteMetered(limitless(offer), requestOf(size), null).hold
    fc.assert(
      fc.property(offers, sizes, grown, (offer, size, more) => {
        const larger = {
          ...offer,
          inputPricePer1M: usdc(offer.inputPricePer1M + more.input),
          outputPricePer1M: usdc(offer.outputPricePer1M + more.output),
          holdBufferBps: offer.holdBufferBps + more.buffer,
        }
        const longer = {
          ...size,
          promptBytes: size.promptBytes + more.promptBytes,
          perChoice: size.perChoice + more.perChoice,
        }
        expect(holdOf(larger, longer)).toBeGreaterThanOrEqual(holdOf(offer, size))
      }),
    )
  })

  test('covers any prompt within the estimate with any output within its limit', () => {
    fc.assert(
      fc.property(offers, sizes, fc.double({ min: 0, max: 1, noNaN: true }), (offer, size, part) => {
        const { hold } = quoteMetered({ ...offer, maxAutoHold: usdc(10n ** 18n) }, requestOf(size), null)
        const inputTokens = Math.floor((Math.ceil(size.promptBytes / 3) + 16) * part)
        const outputTokens = Math.floor(size.perChoice * size.choices * part)
        const usage = dearest(offer, inputTokens, outputTokens)
        const { cost, charge } = chargeUsage({ ...offer, ...BOUNDLESS }, usage, hold)
        expect(cost).toBeLessThanOrEqual(hold)
        expect(charge).toBe(cost)
      }),
    )
  })

  test('counts the output limit once per choice when refused', () => {
    const offer = {
      ...UNCACHED,
      inputPricePer1M: ZERO,
      outputPricePer1M: usdc(1_000_000n),
      maxAutoHold: usdc(1_000n),
      holdBufferBps: 10_000,
    }
    expect(quote(offer, { promptBytes: 2, perChoice: 500, choices: 3 })).toMatchObject({
      context: { affordableMaxTokens: 333, requiredHoldUsdc: '0.001500' },
    })
  })

  test('reports an affordable output limit of 0 when the prompt alone exceeds the limit', () => {
    const offer = {
      ...UNCACHED,
      inputPricePer1M: usdc(10n * MILLION),
      outputPricePer1M: ZERO,
      maxAutoHold: usdc(100n),
      holdBufferBps: 12_000,
    }
    expect(quote(offer, { promptBytes: 3_000, perChoice: 10, choices: 1 })).toMatchObject({
      context: { affordableMaxTokens: 0 },
    })
  })
})

describe('the charge of a metered call', () => {
  const count = fc.integer({ min: 0, max: 25_000_000 })
  /** Plain, read and written input, and output. */
  const usages = fc.tuple(count, count, count, count).map(([plain, read, written, output]) => ({
    plain,
    read,
    written,
    output,
    usage: usageOf(plain + read + written, output, read, written),
  }))

  test('is usage times the price of each token class, rounded up once, and never exceeds the hold', () => {
    fc.assert(
      fc.property(prices, usages, fc.bigInt(0n, 10_000n * MILLION), (price, used, hold) => {
        const { inputPricePer1M: input } = price
        const exact =
          BigInt(used.plain) * input +
          BigInt(used.read) * (price.cacheReadPricePer1M ?? input) +
          BigInt(used.written) * (price.cacheWritePricePer1M ?? input) +
          BigInt(used.output) * price.outputPricePer1M
        const { cost, charge, isCapped } = chargeUsage({ ...price, ...BOUNDLESS }, used.usage, usdc(hold))
        // The only whole number that is at least the exact cost and less than one above it.
        expect(cost * MILLION).toBeGreaterThanOrEqual(exact)
        expect((cost - 1n) * MILLION).toBeLessThan(exact)
        expect(charge).toBe([cost, hold].sort((a, b) => Number(a - b))[0])
        expect(charge).toBeGreaterThanOrEqual(0n)
        expect(isCapped).toBe(cost > hold)
      }),
    )
  })

  test('is capped at the cost of the largest possible usage, dropping the most expensive input first', () => {
    fc.assert(
      fc.property(prices, usages, count, count, (price, { usage }, maxInputTokens, more) => {
        const maxOutputTokens = more + 1
        const hold = usdc(10n ** 18n)
        const { cost, charge, isCapped } = chargeUsage(
          { ...price, maxInputTokens, maxOutputTokens },
          usage,
          hold,
        )
        const isPossible = usage.inputTokens <= maxInputTokens && usage.outputTokens <= maxOutputTokens
        expect(isCapped).toBe(!isPossible)
        if (isPossible) expect(charge).toBe(cost)
        else expect(charge).toBeLessThanOrEqual(cost)
        const output = Math.min(usage.outputTokens, maxOutputTokens)
        const most = dearest(price, Math.min(usage.inputTokens, maxInputTokens), output)
        expect(charge).toBeLessThanOrEqual(chargeUsage({ ...price, ...BOUNDLESS }, most, hold).cost)
      }),
    )
    const terms = {
      inputPricePer1M: usdc(1_000_000n),
      outputPricePer1M: usdc(5_000_000n),
      cacheReadPricePer1M: usdc(100_000n),
      cacheWritePricePer1M: usdc(1_250_000n),
      maxInputTokens: 150,
      maxOutputTokens: 1,
    }
    // 100 read, 50 of the 100 plain, none of the 100 written; 1 of a million of output.
    expect(chargeUsage(terms, usageOf(300, 1_000_000, 100, 100), usdc(MILLION))).toMatchObject({
      charge: 10n + 50n + 5n,
      isCapped: true,
    })
  })

  test('is rounded once, not per token', () => {
    const terms = { ...UNCACHED, ...BOUNDLESS, inputPricePer1M: usdc(1n), outputPricePer1M: usdc(1n) }
    expect(chargeUsage(terms, usageOf(600_000, 600_000), usdc(100n))).toEqual({
      cost: 2n,
      charge: 2n,
      isCapped: false,
    })
  })

  test('is zero for zero tokens', () => {
    const terms = { ...UNCACHED, ...BOUNDLESS, inputPricePer1M: usdc(5n), outputPricePer1M: usdc(5n) }
    expect(chargeUsage(terms, usageOf(0, 0), usdc(100n))).toEqual({ cost: 0n, charge: 0n, isCapped: false })
  })
})

test('a refused request passes with the affordable output limit from its refusal', () => {
  const offer = {
    ...({
      dialect: 'openai',
      upstreamModel: null,
      outputLimitField: null,
      defaultMaxOutputTokens: 256,
    } as const),
    mediaTokens: 2_000,
    contextTokens: null,
    targets: [],
    ...UNCACHED,
    inputPricePer1M: usdc(3n * MILLION),
    outputPricePer1M: usdc(15n * MILLION),
    maxAutoHold: usdc(50_000n),
    holdBufferBps: 12_000,
  }
  const ask = { canStream: true, wantsStream: false }
  const texts = fc.string({ unit: codePoint, maxLength: 2_000 })
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 2_800, max: 70_000 }),
      fc.boolean(),
      (content, max_tokens, stream) => {
        const body = { messages: [{ role: 'user', content }], max_tokens, stream }
        const quoteOf = (bound: number) => {
          try {
            const request = prepareLlmRequest(offer, { ...body, max_tokens: bound }, ask)
            return quoteMetered(offer, request, null)
          } catch (error) {
            if (error instanceof GatewayError) return error
            throw error
          }
        }
        const refused = quoteOf(max_tokens)
        if (!(refused instanceof GatewayError)) return
        const affordable = Number(refused.context.affordableMaxTokens)
        expect(affordable).toBeGreaterThan(0)
        expect(quoteOf(affordable)).not.toBeInstanceOf(GatewayError)
      },
    ),
  )
})
