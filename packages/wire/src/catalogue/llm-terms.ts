import { parseUsdc, type Usdc } from '@farebox/money'
import { z } from 'zod'
import { plainText, usdcIn } from '../common.ts'
import { INPUT_MODALITIES, LLM_DIALECTS } from './model-kinds.ts'

/** Highest price, of a call or of a million tokens, in micro-USDC (10,000 USDC). */
export const PRICE_MAX: Usdc = parseUsdc('10000')
/** Default bound on the output tokens of a call. */
export const MAX_OUTPUT_TOKENS_DEFAULT = 4_096
/** Maximum for a manifest's bound on output tokens. */
export const MAX_OUTPUT_TOKENS_MAX = 10_000_000
/** Default token count of an image, a sound or a file in base64. */
export const MEDIA_TOKENS_DEFAULT = 2_000
/** Maximum token count in a manifest of a media part, or of a prompt that refers to stored context. */
export const PROMPT_TOKENS_MAX = 10_000_000
/** Default cap on automatic holds, in micro-USDC. */
export const MAX_AUTO_HOLD_DEFAULT: Usdc = parseUsdc('1')
/** Scale of hold buffers: 10,000 is 1.0. */
export const HOLD_BUFFER_BASE = 10_000
/** Default multiplier of automatic holds, in ten-thousandths: 1.2. */
export const HOLD_BUFFER_DEFAULT_BPS = 12_000
/** Largest multiplier of automatic holds, in ten-thousandths: 10. */
export const HOLD_BUFFER_MAX_BPS = 100_000

const HOLD_BUFFER_DECIMALS = 4
/** Maximum length of the name of a forwarded model. */
export const UPSTREAM_MODEL_LENGTH_MAX = 200
/** A model family: a name that services of one model share. */
const MODEL_FAMILY = /^[a-z0-9][a-z0-9._:/-]{0,99}$/
const MULTIPLIER = /^(0|[1-9][0-9]?)(?:\.([0-9]{1,4}))?$/

/** The name of a model that several services may offer, such as `llama-3.3-70b`. */
export const modelFamily = z
  .string()
  .regex(MODEL_FAMILY, 'Must be 1 to 100 of a-z, 0-9 and . _ : / -, and begin with a letter or a digit.')
/** Input modalities of a model. */
export const inputModalities = z.array(z.enum(INPUT_MODALITIES)).min(1).max(INPUT_MODALITIES.length)

/** Members of a request in which a service of dialect `openai` may want the bound on output tokens. */
export const OUTPUT_LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const
export type OutputLimitField = (typeof OUTPUT_LIMIT_FIELDS)[number]

/** A price in a manifest, read as micro-USDC. */
export const priceIn = usdcIn.refine(amount => amount <= PRICE_MAX, 'Must be 0 to 10000 USDC.')

/**
 * A hold buffer in a manifest, number or decimal string from 1 to 10 with at most four decimals, read as
 * ten-thousandths. A number is read by its shortest decimal form, digit by digit: `1.1` is 11,000, never 11,001.
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

/** Prices of a token-metered service, per million tokens; at the top level of a manifest or inside `pricing`. */
export const tokenPriceFields = {
  inputPricePer1MTokensUsdc: priceIn.nullish(),
  outputPricePer1MTokensUsdc: priceIn.nullish(),
}

/** Terms that determine holds; at the top level of a manifest or inside `pricing`. */
export const holdTermFields = {
  defaultMaxOutputTokens: z.int().min(1).max(MAX_OUTPUT_TOKENS_MAX).nullish(),
  maxAutoHoldUsdc: usdcIn.nullish(),
  holdBufferMultiplier: holdBufferIn.nullish(),
}

/** Prices of input tokens read from or written to the provider's cache; null: the price of any input token. */
export const cachePriceFields = {
  cacheReadPricePer1M: priceIn.nullish(),
  cacheWritePricePer1M: priceIn.nullish(),
}

/** Members of a manifest for token-metered services. Null stands for the default. */
export const llmFields = {
  ...tokenPriceFields,
  ...cachePriceFields,
  ...holdTermFields,
  llmDialect: z.enum(LLM_DIALECTS).nullish(),
  /** Input tokens held for an image, a sound or a file in base64. */
  mediaTokens: z.int().min(1).max(PROMPT_TOKENS_MAX).nullish(),
  /** Maximum number of input tokens of the model; the hold counts it for a prompt that refers to stored context. */
  contextTokens: z.int().min(1).max(PROMPT_TOKENS_MAX).nullish(),
  /** Services of the same family offer the same model; a caller may have the gateway choose among them. */
  modelFamily: modelFamily.nullish(),
  /** Input modalities of the model, for callers to read; null: not stated. */
  inputModalities: inputModalities
    .refine(given => new Set(given).size === given.length, 'Must not repeat any.')
    .nullish(),
  /** Member in which a bound on output tokens is sent if the caller gave none; null: by the target and the model. */
  outputLimitField: z.enum(OUTPUT_LIMIT_FIELDS).nullish(),
  /** Replaces `model` in every forwarded body, so that prices apply to a single model. */
  upstreamModel: plainText({ min: 1, max: UPSTREAM_MODEL_LENGTH_MAX })
    .refine(text => text.trim() !== '', 'Must not be blank.')
    .nullish(),
}
