import { type Usdc, usdc } from '@farebox/money'
import { MEDIA_TOKENS_DEFAULT } from '@farebox/wire/llm-terms'
import sql from 'sql-template-tag'
import type { PriceNotice, PriceState } from './price-notice-rules.ts'
import type { FixedPricing, Pricing, TokenPricing } from './pricing-rules.ts'

/** SQL: pricing columns of `services s`, as {@link PricingColumns}, with running notices. */
export const pricingColumns = sql`
  s.service_kind, s.price, s.input_price as "inputPricePer1M",
  s.output_price as "outputPricePer1M", s.default_max_output_tokens,
  s.max_auto_hold, s.hold_buffer_bps, s.llm_dialect as dialect,
  s.output_limit_field, s.upstream_model, s.model_family, s.input_modalities, s.media_tokens, s.context_tokens,
  s.cache_read_price as "cacheReadPricePer1M", s.cache_write_price as "cacheWritePricePer1M",
  case when s.notice_ends_at > statement_timestamp() then json_build_object(
    'pricing', s.notice_pricing, 'endsAt', s.notice_ends_at,
    'leftMs', extract(epoch from s.notice_ends_at - statement_timestamp()) * 1000) end as notice`

/**
 * SQL: highest price of a million input tokens of `services s`; null for services at a fixed price. The provider states
 * which of them its cache read or wrote.
 */
export const highestInputPrice = sql`greatest(s.input_price, s.cache_read_price, s.cache_write_price)`

/** Result of {@link pricingColumns}; a constraint of the table separates the two kinds. */
export type PricingColumns = { readonly notice: NoticeJson | null } & (
  | { readonly serviceKind: 'api'; readonly price: Usdc }
  | ({ readonly serviceKind: 'llm'; readonly mediaTokens: number | null } & Omit<
      TokenPricing,
      'model' | 'mediaTokens'
    >)
)

/** As serialised by {@link writePricing}. */
type NoticeJson = {
  readonly pricing: Readonly<Record<string, string | number | readonly string[] | null>>
  readonly endsAt: string
  readonly leftMs: number
}

type AmountOf<Terms> = { [Name in keyof Terms]: Usdc extends Terms[Name] ? Name : never }[keyof Terms]

/** Members of terms that are amounts. */
const AMOUNTS: Readonly<Record<AmountOf<FixedPricing> | AmountOf<TokenPricing>, true>> = {
  price: true,
  inputPricePer1M: true,
  outputPricePer1M: true,
  cacheReadPricePer1M: true,
  cacheWritePricePer1M: true,
  maxAutoHold: true,
}

/** Returns pricing and running notice from the columns. */
export function priceStateOf(columns: PricingColumns): PriceState {
  const { notice } = columns
  return { pricing: pricingOf(columns), notice: notice === null ? null : noticeFrom(notice) }
}

function noticeFrom({ pricing, endsAt, leftMs }: NoticeJson): PriceNotice {
  const members = Object.entries(pricing).map(([name, value]) => [
    name,
    Object.hasOwn(AMOUNTS, name) && typeof value === 'string' ? usdc(BigInt(value)) : value,
  ])
  return { pricing: Object.fromEntries(members) as Pricing, endsAt: new Date(endsAt), leftMs }
}

function pricingOf(columns: PricingColumns): Pricing {
  if (columns.serviceKind === 'api') return { model: 'fixed', price: columns.price }
  const { inputPricePer1M, outputPricePer1M, defaultMaxOutputTokens, maxAutoHold } = columns
  const { cacheReadPricePer1M, cacheWritePricePer1M } = columns
  const { holdBufferBps, dialect, outputLimitField, upstreamModel, modelFamily } = columns
  const { inputModalities, mediaTokens, contextTokens } = columns
  return {
    model: 'token_metered',
    inputPricePer1M,
    outputPricePer1M,
    defaultMaxOutputTokens,
    maxAutoHold,
    cacheReadPricePer1M,
    cacheWritePricePer1M,
    holdBufferBps,
    dialect,
    outputLimitField,
    upstreamModel,
    modelFamily,
    inputModalities,
    contextTokens,
    mediaTokens: mediaTokens ?? MEDIA_TOKENS_DEFAULT,
  }
}

/** Returns the columns of a pricing; those of the other kind are null, the price per call of a metered service is 0. */
export function columnsOf(pricing: Pricing) {
  const tokens = pricing.model === 'token_metered' ? pricing : null
  return {
    serviceKind: tokens === null ? 'api' : 'llm',
    price: pricing.model === 'fixed' ? pricing.price : 0n,
    inputPrice: tokens?.inputPricePer1M ?? null,
    outputPrice: tokens?.outputPricePer1M ?? null,
    defaultMaxOutputTokens: tokens?.defaultMaxOutputTokens ?? null,
    maxAutoHold: tokens?.maxAutoHold ?? null,
    holdBufferBps: tokens?.holdBufferBps ?? null,
    dialect: tokens?.dialect ?? null,
    outputLimitField: tokens?.outputLimitField ?? null,
    upstreamModel: tokens?.upstreamModel ?? null,
    modelFamily: tokens?.modelFamily ?? null,
    inputModalities: tokens?.inputModalities ?? null,
    mediaTokens: tokens?.mediaTokens ?? null,
    contextTokens: tokens?.contextTokens ?? null,
    cacheReadPrice: tokens?.cacheReadPricePer1M ?? null,
    cacheWritePrice: tokens?.cacheWritePricePer1M ?? null,
  }
}
