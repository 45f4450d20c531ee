import { formatUsdc, minUsdc, mulDivCeil, parseUsdc, type Usdc, usdc } from '@farebox/money'
import type { Model } from './service-kinds.ts'

const MILLION = 1_000_000n
/** The gateway's estimate of the tokens of a request, for the hold: bytes per token, plus a constant. */
const HOLD_BYTES_PER_TOKEN = 3
const HOLD_EXTRA_TOKENS = 16
/** Approximate characters per token of plain text. */
const CHARACTERS_PER_TOKEN = 4
/** Multipliers have at most four decimals. */
const SCALE = 10_000

/** Estimates the tokens of a text. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** Returns the cost of tokens as a wire amount, at most `holdUsdc`. */
export function costOf(
  model: Model,
  tokens: { input: number; output: number },
  holdUsdc: string | null,
): string {
  const cost = priceOf(model, tokens)
  return formatUsdc(holdUsdc === null ? cost : minUsdc(cost, parseUsdc(holdUsdc)))
}

/** Estimates the hold for a request as a wire amount, by the rule of docs/models.md. */
export function holdOf(model: Model, requestBody: string, maxTokens: number | null): string {
  const bytes = new TextEncoder().encode(requestBody).length
  const input = Math.ceil(bytes / HOLD_BYTES_PER_TOKEN) + HOLD_EXTRA_TOKENS
  const cost = priceOf(model, { input, output: maxTokens ?? model.defaultMaxOutputTokens })
  const factor = BigInt(Math.round(model.holdBufferMultiplier * SCALE))
  return formatUsdc(usdc(mulDivCeil(cost, factor, BigInt(SCALE))))
}

function priceOf({ pricing }: Model, { input, output }: { input: number; output: number }): Usdc {
  const total =
    BigInt(input) * parseUsdc(pricing.inputPricePer1MTokensUsdc) +
    BigInt(output) * parseUsdc(pricing.outputPricePer1MTokensUsdc)
  return usdc((total + MILLION - 1n) / MILLION)
}
