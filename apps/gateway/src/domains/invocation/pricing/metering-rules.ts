import { formatUsdc, minUsdc, mulDivCeil, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { type LlmRequest, lowerOutputBound } from './llm-request-rules.ts'
import type { Usage } from './usage-rules.ts'

const TOKENS_PER_PRICE = 1_000_000n
const BASIS_POINTS = 10_000n

/** Prices of tokens, micro-USDC per million. */
export type TokenPrices = {
  readonly inputPricePer1M: Usdc
  readonly outputPricePer1M: Usdc
  /** Of input tokens read from a cache; null: as any other. */
  readonly cacheReadPricePer1M: Usdc | null
  /** Of input tokens written to a cache; null: as any other. */
  readonly cacheWritePricePer1M: Usdc | null
}

/** What the charge of a call goes by. */
export type ChargeTerms = TokenPrices & {
  /** Most input tokens that the call can have used; null for calls that older gateways admitted. */
  readonly maxInputTokens: number | null
  /** Most output tokens, over all its choices. */
  readonly maxOutputTokens: number
}

/** What a metered call was admitted on: kept with the hold, so that its charge never sees another price. */
export type Metering = ChargeTerms & {
  /** `explicit`: the caller said what the call may cost at most. */
  readonly preAuthMode: 'explicit' | 'auto'
  readonly isStreamed: boolean
}

/** What of a service decides the hold of a metered call. */
export type MeteredOffer = TokenPrices & {
  /** Largest automatic hold, micro-USDC. */
  readonly maxAutoHold: Usdc
  /** Ten-thousandths: 12,000 is 1.2. */
  readonly holdBufferBps: number
}

/** A metered call that may be made: its hold in micro-USDC, and the request that fits it. */
export type MeteredQuote = { readonly hold: Usdc; readonly metering: Metering; readonly llm: LlmRequest }

/**
 * Quotes a metered call. Without a cap the hold is what prompt and bound on the output may cost, with the service's
 * buffer, rounded up once. A cap is the hold itself, and the bound on the output is lowered to what it pays for after
 * the prompt, so that a provider never works for more than the cap.
 *
 * @param maxCost `maxCostUsdc` of the caller, micro-USDC; null when absent
 * @throws GatewayError LLM_AUTO_HOLD_LIMIT_EXCEEDED with `requiredHoldUsdc`, `maxAutoHoldUsdc` and the largest
 *   `max_tokens` that would pass; LIMIT_EXCEEDED with `requiredHoldUsdc` when a cap does not pay for the prompt and one
 *   output token of each choice
 */
export function quoteMetered(offer: MeteredOffer, asked: LlmRequest, maxCost: Usdc | null): MeteredQuote {
  const { maxAutoHold } = offer
  if (maxCost !== null) {
    const llm = lowerOutputBound(asked, boundWithin(offer, asked, maxCost))
    return { hold: maxCost, metering: meteringOf(offer, llm, 'explicit'), llm }
  }
  const hold = automaticHold(offer, asked)
  if (hold > maxAutoHold) {
    throw new GatewayError('LLM_AUTO_HOLD_LIMIT_EXCEEDED', {
      requiredHoldUsdc: formatUsdc(hold),
      maxAutoHoldUsdc: formatUsdc(maxAutoHold),
      affordableMaxTokens: affordableMaxTokens(offer, asked),
    })
  }
  return { hold, metering: meteringOf(offer, asked, 'auto'), llm: asked }
}

function meteringOf(
  { inputPricePer1M, outputPricePer1M, cacheReadPricePer1M, cacheWritePricePer1M }: MeteredOffer,
  { maxInputTokens, maxOutputTokens, isStreamed }: LlmRequest,
  preAuthMode: Metering['preAuthMode'],
): Metering {
  const prices = { inputPricePer1M, outputPricePer1M, cacheReadPricePer1M, cacheWritePricePer1M }
  return { ...prices, maxInputTokens, maxOutputTokens, isStreamed, preAuthMode }
}

/** Largest bound on the output of one choice, at most the one asked for, that a cap pays for after the prompt. */
function boundWithin(offer: MeteredOffer, request: LlmRequest, maxCost: Usdc): number {
  const { outputPricePer1M } = offer
  const choices = BigInt(request.choices)
  const least = inputCost(offer, request) + choices * outputPricePer1M
  const rest = maxCost * TOKENS_PER_PRICE - least
  if (rest < 0n) {
    const requiredHoldUsdc = formatUsdc(usdc(mulDivCeil(least, 1n, TOKENS_PER_PRICE)))
    const message = `maxCostUsdc does not pay for the prompt and one output token. Allow ${requiredHoldUsdc} USDC or more, or shorten the prompt.`
    throw new GatewayError(
      'LIMIT_EXCEEDED',
      { requiredHoldUsdc, maxCostUsdc: formatUsdc(maxCost) },
      { message },
    )
  }
  const bound = request.maxOutputTokens / request.choices
  if (outputPricePer1M === ZERO) return bound
  const affordable = 1n + rest / (outputPricePer1M * choices)
  return affordable < BigInt(bound) ? Number(affordable) : bound
}

function automaticHold(
  offer: MeteredOffer,
  request: Pick<LlmRequest, 'promptTokens' | 'maxOutputTokens'>,
): Usdc {
  const millionths = inputCost(offer, request) + BigInt(request.maxOutputTokens) * offer.outputPricePer1M
  return usdc(mulDivCeil(millionths, BigInt(offer.holdBufferBps), TOKENS_PER_PRICE * BASIS_POINTS))
}

/** Millionths of a micro-USDC that the prompt may cost, whatever of it a cache gives or takes. */
function inputCost(prices: TokenPrices, { promptTokens }: { promptTokens: number }): bigint {
  const { inputPricePer1M: input, cacheReadPricePer1M: read, cacheWritePricePer1M: write } = prices
  return BigInt(promptTokens) * [read ?? input, write ?? input].reduce(maxOf, input)
}

const maxOf = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Largest bound on the output of one choice whose automatic hold passes; 0 when the prompt alone is too much. */
function affordableMaxTokens(
  offer: MeteredOffer,
  request: Pick<LlmRequest, 'promptTokens' | 'choices'>,
): number {
  const { outputPricePer1M, maxAutoHold, holdBufferBps } = offer
  const millionths = (maxAutoHold * TOKENS_PER_PRICE * BASIS_POINTS) / BigInt(holdBufferBps)
  const rest = millionths - inputCost(offer, request)
  if (rest <= 0n || outputPricePer1M === 0n) return 0
  return Number(rest / outputPricePer1M / BigInt(request.choices))
}

/** What usage costs and what of it is charged, micro-USDC. */
export type Charge = {
  readonly cost: Usdc
  readonly charge: Usdc
  /** Whether the usage is more than the call can have used, or costs more than its hold. */
  readonly isCapped: boolean
}

/**
 * Charges final usage: tokens times their prices, rounded up once, never above the hold, and of tokens beyond what the
 * call can have used nothing, the dearest of the input first.
 */
export function chargeUsage(terms: ChargeTerms, usage: Usage, hold: Usdc): Charge {
  const { maxInputTokens, maxOutputTokens } = terms
  const { inputTokens, outputTokens } = usage
  const possible = {
    input: Math.min(inputTokens, maxInputTokens ?? inputTokens),
    output: Math.min(outputTokens, maxOutputTokens),
  }
  const cost = costOf(terms, usage, { input: inputTokens, output: outputTokens })
  const charge = minUsdc(costOf(terms, usage, possible), hold)
  const isPossible = possible.input === inputTokens && possible.output === outputTokens
  return { cost, charge, isCapped: cost > charge || !isPossible }
}

/** What so many tokens of a usage cost at least. */
function costOf(prices: TokenPrices, usage: Usage, most: { input: number; output: number }): Usdc {
  const { inputPricePer1M, outputPricePer1M, cacheReadPricePer1M, cacheWritePricePer1M } = prices
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage
  const classes = [
    { tokens: inputTokens - cacheReadTokens - cacheWriteTokens, price: inputPricePer1M },
    { tokens: cacheReadTokens, price: cacheReadPricePer1M ?? inputPricePer1M },
    { tokens: cacheWriteTokens, price: cacheWritePricePer1M ?? inputPricePer1M },
  ].sort((one, other) => Number(one.price - other.price))
  let millionths = BigInt(most.output) * outputPricePer1M
  let left = most.input
  for (const { tokens, price } of classes) {
    const counted = Math.min(tokens, left)
    millionths += BigInt(counted) * price
    left -= counted
  }
  return usdc(mulDivCeil(millionths, 1n, TOKENS_PER_PRICE))
}
