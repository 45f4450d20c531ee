import { parseUsdc, type Usdc } from '@farebox/money'
import { z } from 'zod'
import { plainText, usdcIn } from './common.ts'

/** Highest price: of a call, or of a million tokens; in micro-USDC (10,000 USDC). */
export const PRICE_MAX: Usdc = parseUsdc('10000')
/** Output tokens that a call may use when neither it nor the manifest says. */
export const MAX_OUTPUT_TOKENS_DEFAULT = 4_096
/** Most output tokens that a manifest may assume for a call. */
export const MAX_OUTPUT_TOKENS_MAX = 10_000_000
/** Tokens that an image, a sound or a file in base64 counts when the manifest does not say. */
export const MEDIA_TOKENS_DEFAULT = 2_000
/** Most tokens that a manifest may count for a media part, or for a prompt that names context. */
export const PROMPT_TOKENS_MAX = 10_000_000
/** Largest automatic hold when the manifest does not say, in micro-USDC. */
export const MAX_AUTO_HOLD_DEFAULT: Usdc = parseUsdc('1')
/** Parts of a hold buffer of 1.0. */
export const HOLD_BUFFER_BASE = 10_000
/** What automatic holds are multiplied by when the manifest does not say, in ten-thousandths: 1.2. */
export const HOLD_BUFFER_DEFAULT_BPS = 12_000
/** Largest such multiplier, in ten-thousandths: 10. */
export const HOLD_BUFFER_MAX_BPS = 100_000

const HOLD_BUFFER_DECIMALS = 4
/** Longest name of a model that is forwarded. */
export const UPSTREAM_MODEL_LENGTH_MAX = 200
const MULTIPLIER = /^(0|[1-9][0-9]?)(?:\.([0-9]{1,4}))?$/

/** How an LLM provider wants to be spoken to. */
export const LLM_DIALECTS = ['openai', 'anthropic'] as const
/** One of {@link LLM_DIALECTS}. */
export type LlmDialect = (typeof LLM_DIALECTS)[number]

/** A price as manifests give it, read as micro-USDC. */
export const priceIn = usdcIn.refine(amount => amount <= PRICE_MAX, 'Must be 0 to 10000 USDC.')

/**
 * A hold buffer as manifests give it, number or decimal string from 1 to 10 with at most four decimals, read as
 * ten-thousandths. A number is read by its shortest decimal form, digit by digit: `1.1` is 11,000 and never 11,001.
 */
export const holdBufferIn = z
  .union([z.string().meta({ pattern: MULTIPLIER.source }), z.number()])
  .transform((input, context): number => {
    const match = MULTIPLIER.exec(String(input))
    if (match !== null) {
      const [, integer = '0', decimals = ''] = match
      const bps = Number(integer) * HOLD_BUFFER_BASE + Number(decimals.padEnd(HOLD_BUFFER_DECIMALS, '0'))
      if (bps >= HOLD_BUFFER_BASE && bps <= HOLD_BUFFER_MAX_BPS) return bps
    }
    context.addIssue({ code: 'custom', message: 'Must be 1 to 10 with at most 4 decimals.' })
    return z.NEVER
  })

/** The prices of a token-metered service, per million tokens; at the top of a manifest or inside `pricing`. */
export const tokenPriceFields = {
  inputPricePer1MTokensUsdc: priceIn.nullish(),
  outputPricePer1MTokensUsdc: priceIn.nullish(),
}

/** The terms by which holds are worked out; at the top of a manifest or inside `pricing`. */
export const holdTermFields = {
  defaultMaxOutputTokens: z.int().min(1).max(MAX_OUTPUT_TOKENS_MAX).nullish(),
  maxAutoHoldUsdc: usdcIn.nullish(),
  holdBufferMultiplier: holdBufferIn.nullish(),
}

/** Prices of input tokens that a provider's cache gave or took; null: the price of any input token. */
export const cachePriceFields = {
  cacheReadPricePer1M: priceIn.nullish(),
  cacheWritePricePer1M: priceIn.nullish(),
}

/** What a manifest says of a token-metered service beside its kind. Null stands for what is assumed. */
export const llmFields = {
  ...tokenPriceFields,
  ...cachePriceFields,
  ...holdTermFields,
  llmDialect: z.enum(LLM_DIALECTS).nullish(),
  /** Input tokens that the hold counts for an image, a sound or a file in base64. */
  mediaTokens: z.int().min(1).max(PROMPT_TOKENS_MAX).nullish(),
  /** Most input tokens that the model takes: what the hold counts for a prompt that names context. */
  contextTokens: z.int().min(1).max(PROMPT_TOKENS_MAX).nullish(),
  /** Written into `model` of every forwarded body, so that the prices are those of one model. */
  upstreamModel: plainText({ min: 1, max: UPSTREAM_MODEL_LENGTH_MAX })
    .refine(text => text.trim() !== '', 'Must not be blank.')
    .nullish(),
}
