import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { budgetExhausted } from '../../credentials/draw-budgets.ts'
import type { LlmRequest } from './llm-request-rules.ts'
import { leastCap, type MeteredOffer, type MeteredQuote, quoteMetered } from './metering-rules.ts'

/**
 * Quotes a metered call of a credential that may have a cap per call. If the hold would exceed it, the output bound is
 * lowered to what the cap covers, as for `maxCostUsdc`.
 *
 * @param caps.maxCost `maxCostUsdc` of the caller, micro-USDC; null when absent
 * @param caps.perCall of the credential, micro-USDC; null if it has none
 * @throws GatewayError as {@link quoteMetered}, and BUDGET_EXHAUSTED with `limit` `credential_per_call` if the cap does
 * not cover the prompt and one output token of each choice
 */
export function quoteWithinCaps(
  offer: MeteredOffer,
  asked: LlmRequest,
  { maxCost, perCall }: { maxCost: Usdc | null; perCall: Usdc | null },
): MeteredQuote {
  if (perCall === null || (maxCost !== null && maxCost <= perCall)) return quoteMetered(offer, asked, maxCost)
  if (maxCost === null) {
    // An automatic hold above the service's own limit is refused regardless of the credential.
    if (perCall > offer.maxAutoHold) return quoteMetered(offer, asked, null)
    const limited = { ...offer, maxAutoHold: perCall }
    const automatic = refusalOr(() => quoteMetered(limited, asked, null))
    if (!(automatic instanceof GatewayError)) return automatic
  }
  const quoted = refusalOr(() => quoteMetered(offer, asked, perCall))
  if (!(quoted instanceof GatewayError)) {
    return {
      ...quoted,
      metering: { ...quoted.metering, preAuthMode: maxCost === null ? 'auto' : 'explicit' },
    }
  }
  // If the caller's own cap is also too low, it must be raised first.
  if (maxCost !== null) quoteMetered(offer, asked, maxCost)
  throw budgetExhausted('credential_per_call', { remaining: perCall, required: leastCap(offer, asked) })
}

function refusalOr(quote: () => MeteredQuote): MeteredQuote | GatewayError {
  try {
    return quote()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
