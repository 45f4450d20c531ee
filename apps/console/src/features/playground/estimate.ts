import { formatUsdc, minUsdc, mulDivCeil, parseUsdc, type Usdc, usdc } from '@farebox/money'
import type { Model } from './service-kinds.ts'

const MILLION = 1_000_000n
/** Of a request: bytes of a token, and what its frame takes, as the gateway reckons a hold. */
const HOLD_BYTES_PER_TOKEN = 3
const HOLD_EXTRA_TOKENS = 16
/** Of plain text: characters of a token, about. */
const CHARACTERS_PER_TOKEN = 4
/** Multipliers are told with four decimals at most. */
const SCALE = 10_000

/** About how many tokens a text has. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** What tokens cost, in wire form; `holdUsdc` is never exceeded. */
export function costOf(
  model: Model,
  tokens: { input: number; output: number },
  holdUsdc: string | null,
): string {
  const cost = priceOf(model, tokens)
  return formatUsdc(holdUsdc === null ? cost : minUsdc(cost, parseUsdc(holdUsdc)))
}

/** About what will be held for a request, in wire form, by the rule of docs/models.md. */
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
