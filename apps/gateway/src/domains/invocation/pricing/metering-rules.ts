import { BASIS_POINTS, formatUsdc, minUsdc, mulDivCeil, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { type LlmRequest, lowerOutputBound } from './llm-request-rules.ts'
import type { Usage } from './usage-rules.ts'

const TOKENS_PER_PRICE = 1_000_000n

/** Token prices, micro-USDC per million. */
export type TokenPrices = {
  readonly inputPricePer1M: Usdc
  readonly outputPricePer1M: Usdc
  /** Price of input tokens read from a cache; null: the input price. */
  readonly cacheReadPricePer1M: Usdc | null
  /** Price of input tokens written to a cache; null: the input price. */
  readonly cacheWritePricePer1M: Usdc | null
}

/** Basis of the charge of a call. */
export type ChargeTerms = TokenPrices & {
  /** Maximum input tokens of the call; null for calls admitted by older gateways. */
  readonly maxInputTokens: number | null
  /** Maximum output tokens, over all choices; 0 of embeddings. */
  readonly maxOutputTokens: number
}

/** Quote of a metered call, stored with the hold, so that later prices do not apply. */
export type Metering = ChargeTerms & {
  /** `explicit`: the caller set a maximum cost. */
  readonly preAuthMode: 'explicit' | 'auto'
  readonly isStreamed: boolean
}

/** Members of a service that determine the hold of a metered call. */
export type MeteredOffer = TokenPrices & {
  /** Maximum automatic hold, in micro-USDC. */
  readonly maxAutoHold: Usdc
  /** Ten-thousandths: 12,000 is 1.2. */
  readonly holdBufferBps: number
}

/** An admissible metered call: its hold in micro-USDC, and the request that fits it. */
export type MeteredQuote = { readonly hold: Usdc; readonly metering: Metering; readonly llm: LlmRequest }

/**
 * Quotes a metered call. Without a cap the hold is the maximum cost of prompt and bounded output, times the service's
 * buffer, rounded up once. A cap is the hold, and the output bound is lowered to what it covers after the prompt, so
 * that a provider never works for more than the cap.
 *
 * @param maxCost `maxCostUsdc` of the caller, micro-USDC; null when absent
 * @throws GatewayError LLM_AUTO_HOLD_LIMIT_EXCEEDED with `requiredHoldUsdc`, `maxAutoHoldUsdc` and the largest
 * `max_tokens` that would pass; LIMIT_EXCEEDED with `requiredHoldUsdc` if a cap does not cover the prompt and one
 * output token of each choice
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

/** Returns the maximum cost of the prompt and one output token of each choice: the lowest cap that covers the call. */
export const leastCap = (prices: TokenPrices, request: LlmRequest): Usdc =>
  usdc(mulDivCeil(leastCost(prices, request), 1n, TOKENS_PER_PRICE))

/** Returns the same in millionths of a micro-USDC. */
function leastCost(prices: TokenPrices, request: LlmRequest): bigint {
  const leastOutput = request.maxOutputTokens === 0 ? 0n : BigInt(request.choices) * prices.outputPricePer1M
  return inputCost(prices, request) + leastOutput
}

/** Returns the largest output bound of one choice, at most the requested one, that a cap covers after the prompt. */
function boundWithin(offer: MeteredOffer, request: LlmRequest, maxCost: Usdc): number {
  const { outputPricePer1M } = offer
  const choices = BigInt(request.choices)
  const rest = maxCost * TOKENS_PER_PRICE - leastCost(offer, request)
  if (rest < 0n) {
    const requiredHoldUsdc = formatUsdc(leastCap(offer, request))
    const message = `maxCostUsdc does not cover the prompt and one output token. Send ${requiredHoldUsdc} USDC or more, or shorten the prompt.`
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

/** Returns the maximum cost of the prompt, cached or not, in millionths of a micro-USDC. */
function inputCost(prices: TokenPrices, { promptTokens }: { promptTokens: number }): bigint {
  return BigInt(promptTokens) * highestInputPrice(prices)
}

/** Returns the highest price of a million input tokens: the provider states which of them its cache read or wrote. */
export function highestInputPrice(prices: Omit<TokenPrices, 'outputPricePer1M'>): bigint {
  const { inputPricePer1M: input, cacheReadPricePer1M: read, cacheWritePricePer1M: write } = prices
  return [read ?? input, write ?? input].reduce(maxOf, input)
}

const maxOf = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Returns the largest output bound of one choice whose automatic hold passes; 0 if the prompt alone costs too much. */
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

/** Cost of usage and the charged part, in micro-USDC. */
export type Charge = {
  readonly cost: Usdc
  readonly charge: Usdc
  /** True if the usage exceeds what the call can have used, or costs more than its hold. */
  readonly isCapped: boolean
}

/**
 * Charges final usage: tokens times prices, rounded up once, never above the hold. Tokens beyond what the call can have
 * used are free, the most expensive input first.
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

/** Returns the minimum cost of a number of tokens of a usage. */
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
