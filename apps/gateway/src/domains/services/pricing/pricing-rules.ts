import { type Usdc, ZERO } from '@farebox/money'
import {
  cachePriceFields,
  HOLD_BUFFER_DEFAULT_BPS,
  holdTermFields,
  llmFields,
  MAX_AUTO_HOLD_DEFAULT,
  MAX_OUTPUT_TOKENS_DEFAULT,
  MEDIA_TOKENS_DEFAULT,
  type OutputLimitField,
  tokenPriceFields,
} from '@farebox/wire/llm-terms'
import type { RegisterServiceBody } from '@farebox/wire/manifest'
import type { InputModality, LlmDialect } from '@farebox/wire/model-kinds'
import { invalidManifest, type ManifestIssue } from '../rules.ts'

/** Price of a call of a service, in micro-USDC. */
export type FixedPricing = { readonly model: 'fixed'; readonly price: Usdc }

/** Token prices of a metered service, in micro-USDC per million tokens. */
export type TokenPricing = {
  readonly model: 'token_metered'
  readonly inputPricePer1M: Usdc
  readonly outputPricePer1M: Usdc
  /** Price of input tokens read from a cache; null: the input price. */
  readonly cacheReadPricePer1M: Usdc | null
  /** Price of input tokens written to a cache; null: the input price. */
  readonly cacheWritePricePer1M: Usdc | null
  /** Output token limit of a call that states none. */
  readonly defaultMaxOutputTokens: number
  /** Maximum automatic hold, in micro-USDC. */
  readonly maxAutoHold: Usdc
  /** Multiplier of automatic holds, in ten-thousandths: 12,000 is 1.2. */
  readonly holdBufferBps: number
  readonly dialect: LlmDialect
  /** Member for a bound on the output that the caller did not give; null: by target and model. */
  readonly outputLimitField: OutputLimitField | null
  /** Set as `model` of every forwarded body; null: the caller's is kept. */
  readonly upstreamModel: string | null
  /** Services of the same family offer the same model; null: it is of none. */
  readonly modelFamily: string | null
  /** Input modalities of the model; null: not stated. */
  readonly inputModalities: readonly InputModality[] | null
  /** Input tokens held for a media part in base64. */
  readonly mediaTokens: number
  /** Input tokens held for a prompt that refers to context; null: such a prompt is refused. */
  readonly contextTokens: number | null
}

/** Pricing of a service: `fixed` for serviceKind api, `token_metered` for llm. */
export type Pricing = FixedPricing | TokenPricing

/** Pricing members of a manifest or of a change of one. */
export type Offered = Pick<
  RegisterServiceBody,
  'serviceKind' | 'priceModel' | 'pricing' | keyof typeof llmFields
> & { readonly invoke?: { readonly method: string } | undefined }

type TokenPriceName = keyof typeof tokenPriceFields
/** Terms that `pricing` may contain besides the two prices. */
type OtherTermName = keyof typeof holdTermFields | keyof typeof cachePriceFields
type Faults = ManifestIssue[]

const LLM_FIELDS = Object.keys(llmFields) as (keyof typeof llmFields)[]
/** Terms of an LLM service that `pricing` may also contain. */
const TOKEN_TERMS = Object.keys({ ...tokenPriceFields, ...cachePriceFields, ...holdTermFields }) as (
  | TokenPriceName
  | OtherTermName
)[]
const ONLY_LLM = 'Is only for services of serviceKind llm, priced per token.'
const MUST_BE_THERE = 'Is required.'

/**
 * Derives the pricing of a service from its manifest.
 *
 * @param before current pricing, for absent members; null for a new service
 * @throws GatewayError INVALID_MANIFEST with `detail.issues`: kind and price model that contradict each other, a
 * changed kind, prices of the other kind, missing prices or two different values of one, an LLM service whose method is
 * not POST
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

/** Returns warnings about the pricing of a new service: it is free although no price was given. */
export function pricingWarnings(offered: Offered, pricing: Pricing): string[] {
  const isFree = pricing.model === 'fixed' && pricing.price === ZERO
  if (!isFree || (offered.pricing?.amount ?? null) !== null) return []
  return [
    'The service is free: the manifest has no price. Set pricing.amount (USDC a call) with PUT /api/v1/services/:id; {"pricing": {"amount": "0"}} confirms that it is free.',
  ]
}

/** Kind and price model imply each other. */
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
    const message = 'Is only for services with a fixed price: set the prices per million tokens.'
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
    outputLimitField: replaced<OutputLimitField | null>(
      offered.outputLimitField,
      before?.outputLimitField,
      null,
    ),
    upstreamModel: replaced<string | null>(upstreamModel, before?.upstreamModel, null),
    modelFamily: replaced<string | null>(offered.modelFamily, before?.modelFamily, null),
    inputModalities: replaced<readonly InputModality[] | null>(
      offered.inputModalities,
      before?.inputModalities,
      null,
    ),
    mediaTokens: replaced(offered.mediaTokens, before?.mediaTokens, MEDIA_TOKENS_DEFAULT),
    contextTokens: replaced<number | null>(offered.contextTokens, before?.contextTokens, null),
  }
}

/** A price may be at the top level or inside `pricing`, which is replaced as a whole and so must have all of them. */
function priceFrom(name: TokenPriceName, offered: Offered, before: Usdc | undefined, faults: Faults): Usdc {
  const { [name]: atTop, pricing } = offered
  const isKept = atTop === undefined && !isGiven(pricing)
  const price = termFrom(name, offered, faults) ?? (isKept ? before : undefined)
  if (price === undefined) faults.push({ path: name, message: MUST_BE_THERE })
  return price ?? ZERO
}

/** Returns a term of a manifest, at its top level or inside `pricing`. Null clears it, undefined leaves it. */
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

/** Null resets a member to its default. */
function replaced<Value>(change: Value | null | undefined, before: Value | undefined, absent: Value): Value {
  return change === null ? absent : (change ?? before ?? absent)
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}
