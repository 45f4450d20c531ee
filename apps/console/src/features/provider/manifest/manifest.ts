/**
 * A manifest being edited: a registration body with whatever was typed so far. Form, curl command and JSON edit the
 * same one.
 */
export type Manifest = Readonly<Record<string, unknown>>

/** The initial draft, with common defaults. */
export const emptyManifest: Manifest = {
  serviceName: '',
  summary: '',
  pricing: { amount: '', currency: 'USDC' },
  invoke: { method: 'POST', targets: [{ url: '', weight: 1 }] },
}

type Steps = readonly string[]
const stepsOf = (path: string): Steps => path.split('.')

/** Returns the value at a path such as `invoke.targets.0.url`, or undefined. */
export function readAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of stepsOf(path)) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/** Returns a copy with another value at a path; `undefined` removes the member. */
export function writeAt(manifest: Manifest, path: string, value: unknown): Manifest {
  return write(manifest, stepsOf(path), value) as Manifest
}

function write(at: unknown, [step, ...rest]: Steps, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(at)) return at.with(Number(step), write(at[Number(step)], rest, value))
  const members = typeof at === 'object' && at !== null ? (at as Record<string, unknown>) : {}
  const next = { ...members, [step]: write(members[step], rest, value) }
  if (next[step] === undefined) delete next[step]
  return next
}

/** Returns the text at a path, or an empty text. */
export function textAt(manifest: Manifest, path: string): string {
  const value = readAt(manifest, path)
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : ''
}

/** Parses a number. Returns invalid text unchanged, for validation to report, and undefined for an empty text. */
export function numberOf(typed: string): number | string | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  return Number.isFinite(Number(text)) ? Number(text) : text
}

/** Priced per token. */
export const isMetered = (manifest: Manifest): boolean =>
  manifest.serviceKind === 'llm' || manifest.priceModel === 'token_metered'

/** Members that only services paid per token have. */
export const TERMS_OF_MODELS: readonly string[] = [
  'inputPricePer1MTokensUsdc',
  'outputPricePer1MTokensUsdc',
  'cacheReadPricePer1M',
  'cacheWritePricePer1M',
  'defaultMaxOutputTokens',
  'maxAutoHoldUsdc',
  'holdBufferMultiplier',
  'llmDialect',
  'outputLimitField',
  'upstreamModel',
  'modelFamily',
  'inputModalities',
  'mediaTokens',
  'contextTokens',
]

/** Returns the manifest with the other price model, without the members of the old one. */
export function paidBy(manifest: Manifest, model: 'fixed' | 'token_metered'): Manifest {
  const rest = Object.fromEntries(
    Object.entries(manifest).filter(([name]) => name !== 'pricing' && !TERMS_OF_MODELS.includes(name)),
  )
  const isFixed = model === 'fixed'
  return {
    ...rest,
    serviceKind: isFixed ? 'api' : 'llm',
    priceModel: model,
    ...(isFixed
      ? { pricing: { amount: '', currency: 'USDC' } }
      : { inputPricePer1MTokensUsdc: '', outputPricePer1MTokensUsdc: '', llmDialect: 'openai' }),
  }
}

/** Returns the manifest to send, without empty fields. Free-form members are unchanged. */
export function tidied(manifest: Manifest): Manifest {
  const { invoke, pricing, healthCheck } = manifest
  const targets = readAt(invoke, 'targets')
  return withoutBlanks({
    ...manifest,
    ...(isObject(pricing) && { pricing: withoutBlanks(pricing) }),
    ...(isObject(healthCheck) && { healthCheck: withoutBlanks(healthCheck) }),
    ...(isObject(invoke) && {
      invoke: {
        ...withoutBlanks(invoke),
        ...(Array.isArray(targets) && {
          targets: targets.map(target => (isObject(target) ? withoutBlanks(target) : target)),
        }),
      },
    }),
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withoutBlanks = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '' && value !== undefined))
