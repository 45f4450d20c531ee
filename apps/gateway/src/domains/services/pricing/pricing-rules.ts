import { type Usdc, ZERO } from '@farebox/money'
import {
  cachePriceFields,
  HOLD_BUFFER_DEFAULT_BPS,
  holdTermFields,
  type LlmDialect,
  llmFields,
  MAX_AUTO_HOLD_DEFAULT,
  MAX_OUTPUT_TOKENS_DEFAULT,
  MEDIA_TOKENS_DEFAULT,
  tokenPriceFields,
} from '@farebox/wire/llm-terms'
import type { RegisterServiceBody } from '@farebox/wire/manifest'
import { invalidManifest, type ManifestIssue } from '../rules.ts'

/** What a call of a service costs, in micro-USDC. */
export type FixedPricing = { readonly model: 'fixed'; readonly price: Usdc }

/** What the tokens of a metered service cost. Prices in micro-USDC per million tokens. */
export type TokenPricing = {
  readonly model: 'token_metered'
  readonly inputPricePer1M: Usdc
  readonly outputPricePer1M: Usdc
  /** Of input tokens read from a cache; null: as any other. */
  readonly cacheReadPricePer1M: Usdc | null
  /** Of input tokens written to a cache; null: as any other. */
  readonly cacheWritePricePer1M: Usdc | null
  /** Output tokens that a call may use when it does not say. */
  readonly defaultMaxOutputTokens: number
  /** Largest hold that the gateway works out by itself, micro-USDC. */
  readonly maxAutoHold: Usdc
  /** What such a hold is multiplied by, in ten-thousandths: 12,000 is 1.2. */
  readonly holdBufferBps: number
  readonly dialect: LlmDialect
  /** Written into `model` of every forwarded body; null: the caller's goes through. */
  readonly upstreamModel: string | null
  /** Services of the same family offer the same model; null: it is of none. */
  readonly modelFamily: string | null
  /** Input tokens that the hold counts for a media part in base64. */
  readonly mediaTokens: number
  /** Input tokens that the hold counts for a prompt that names context; null: such a prompt is refused. */
  readonly contextTokens: number | null
}

/** How a service is paid: `fixed` are those of `serviceKind` api, `token_metered` those of llm. */
export type Pricing = FixedPricing | TokenPricing

/** What a manifest, or a change of one, says of how a service is paid. */
export type Offered = Pick<
  RegisterServiceBody,
  'serviceKind' | 'priceModel' | 'pricing' | keyof typeof llmFields
> & { readonly invoke?: { readonly method: string } | undefined }

type TokenPriceName = keyof typeof tokenPriceFields
/** Terms that `pricing` may hold beside the two prices. */
type OtherTermName = keyof typeof holdTermFields | keyof typeof cachePriceFields
type Faults = ManifestIssue[]

const LLM_FIELDS = Object.keys(llmFields) as (keyof typeof llmFields)[]
/** Terms of an LLM service that `pricing` may hold, too. */
const TOKEN_TERMS = Object.keys({ ...tokenPriceFields, ...cachePriceFields, ...holdTermFields }) as (
  | TokenPriceName
  | OtherTermName
)[]
const ONLY_LLM = 'Is for services of serviceKind llm, paid by the token, only.'
const MUST_BE_THERE = 'Must be there.'

/**
 * How a service is paid from what its provider says.
 *
 * @param before how it was paid so far, which stands for what is not said; null for a new service
 * @throws GatewayError INVALID_MANIFEST with `detail.issues`: kind and price model that contradict each other, another
 *   kind than before, prices of the other kind, prices that lack or stand twice with two values, an LLM service that
 *   is not called by POST
 */
export function pricingFrom(offered: Offered, before: Pricing | null): Pricing {
  const faults: Faults = []
  const pricing =
    modelFrom(offered, before, faults) === 'fixed'
      ? fixedFrom(offered, before?.model === 'fixed' ? before : null, faults)
      : meteredFrom(offered, before?.model === 'token_metered' ? before : null, faults)
  const error = invalidManifest(faults)
  if (error !== null) throw error
  return pricing
}

/** Returns what a provider should know of how a new service is paid: that it is free although no price was given. */
export function pricingWarnings(offered: Offered, pricing: Pricing): string[] {
  const isFree = pricing.model === 'fixed' && pricing.price === ZERO
  if (!isFree || (offered.pricing?.amount ?? null) !== null) return []
  return [
    'The service is free: the manifest has no price. Set pricing.amount (USDC a call) with PUT /api/v1/services/:id; {"pricing": {"amount": "0"}} says that it is meant to be free.',
  ]
}

/** Each of kind and price model implies the other. */
function modelFrom(offered: Offered, before: Pricing | null, faults: Faults): Pricing['model'] {
  const { serviceKind, priceModel } = offered
  const ofKind = serviceKind === 'llm' ? 'token_metered' : serviceKind === 'api' ? 'fixed' : null
  if (ofKind !== null && (priceModel ?? ofKind) !== ofKind) {
    faults.push({ path: 'priceModel', message: `Must be ${ofKind} for serviceKind ${serviceKind}.` })
  }
  const asked = ofKind ?? priceModel ?? null
  if (before === null) return asked ?? 'fixed'
  if (asked !== null && asked !== before.model) {
    const path = ofKind === null ? 'priceModel' : 'serviceKind'
    faults.push({ path, message: 'Cannot be changed: agents rely on it. Register another service.' })
  }
  return before.model
}

function fixedFrom(offered: Offered, before: FixedPricing | null, faults: Faults): FixedPricing {
  const { pricing } = offered
  for (const name of LLM_FIELDS) {
    if (isGiven(offered[name])) faults.push({ path: name, message: ONLY_LLM })
  }
  for (const name of TOKEN_TERMS) {
    if (isGiven(pricing?.[name])) faults.push({ path: `pricing.${name}`, message: ONLY_LLM })
  }
  if (!isGiven(pricing)) return { model: 'fixed', price: before?.price ?? ZERO }
  if (!isGiven(pricing.amount)) faults.push({ path: 'pricing.amount', message: MUST_BE_THERE })
  return { model: 'fixed', price: pricing.amount ?? ZERO }
}

function meteredFrom(offered: Offered, before: TokenPricing | null, faults: Faults): TokenPricing {
  if (isGiven(offered.pricing?.amount)) {
    const message = 'Is for services with a fixed price only: give the prices per million tokens.'
    faults.push({ path: 'pricing.amount', message })
  }
  if (offered.invoke !== undefined && offered.invoke.method !== 'POST') {
    faults.push({ path: 'invoke.method', message: 'Must be POST for services of serviceKind llm.' })
  }
  const { llmDialect, upstreamModel } = offered
  return {
    model: 'token_metered',
    inputPricePer1M: priceFrom('inputPricePer1MTokensUsdc', offered, before?.inputPricePer1M, faults),
    outputPricePer1M: priceFrom('outputPricePer1MTokensUsdc', offered, before?.outputPricePer1M, faults),
    cacheReadPricePer1M: replaced<Usdc | null>(
      termFrom('cacheReadPricePer1M', offered, faults),
      before?.cacheReadPricePer1M,
      null,
    ),
    cacheWritePricePer1M: replaced<Usdc | null>(
      termFrom('cacheWritePricePer1M', offered, faults),
      before?.cacheWritePricePer1M,
      null,
    ),
    defaultMaxOutputTokens: replaced(
      termFrom('defaultMaxOutputTokens', offered, faults),
      before?.defaultMaxOutputTokens,
      MAX_OUTPUT_TOKENS_DEFAULT,
    ),
    maxAutoHold: replaced(
      termFrom('maxAutoHoldUsdc', offered, faults),
      before?.maxAutoHold,
      MAX_AUTO_HOLD_DEFAULT,
    ),
    holdBufferBps: replaced(
      termFrom('holdBufferMultiplier', offered, faults),
      before?.holdBufferBps,
      HOLD_BUFFER_DEFAULT_BPS,
    ),
    dialect: replaced(llmDialect, before?.dialect, 'openai'),
    upstreamModel: replaced<string | null>(upstreamModel, before?.upstreamModel, null),
    modelFamily: replaced<string | null>(offered.modelFamily, before?.modelFamily, null),
    mediaTokens: replaced(offered.mediaTokens, before?.mediaTokens, MEDIA_TOKENS_DEFAULT),
    contextTokens: replaced<number | null>(offered.contextTokens, before?.contextTokens, null),
  }
}

/** A price may stand at the top or inside `pricing`, which, being replaced whole, must leave none of them out. */
function priceFrom(name: TokenPriceName, offered: Offered, before: Usdc | undefined, faults: Faults): Usdc {
  const { [name]: atTop, pricing } = offered
  const isKept = atTop === undefined && !isGiven(pricing)
  const price = termFrom(name, offered, faults) ?? (isKept ? before : undefined)
  if (price === undefined) faults.push({ path: name, message: MUST_BE_THERE })
  return price ?? ZERO
}

/** What a manifest says of a term, at its top or inside `pricing`. Null clears it, undefined leaves it. */
function termFrom<Name extends TokenPriceName | OtherTermName>(
  name: Name,
  offered: Offered,
  faults: Faults,
): Offered[Name] {
  const atTop: Offered[Name] = offered[name]
  const inside: Offered[Name] = offered.pricing?.[name]
  if (isGiven(atTop) && isGiven(inside) && atTop !== inside) {
    faults.push({ path: name, message: `Must be the same as pricing.${name}.` })
  }
  return atTop ?? inside ?? (atTop === undefined ? inside : atTop)
}

/** Null clears a member, to what it is when it was never given. */
function replaced<Value>(change: Value | null | undefined, before: Value | undefined, absent: Value): Value {
  return change === null ? absent : (change ?? before ?? absent)
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}
