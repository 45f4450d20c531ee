/**
 * A manifest while it is written: a body for the registration, with whatever was typed so far in its place. Form, curl
 * command and JSON are three ways of writing the same one.
 */
export type Manifest = Readonly<Record<string, unknown>>

/** Where a new one begins: the least that must be said, with what most will keep. */
export const emptyManifest: Manifest = {
  serviceName: '',
  summary: '',
  pricing: { amount: '', currency: 'USDC' },
  invoke: { method: 'POST', targets: [{ url: '', weight: 1 }] },
}

type Steps = readonly string[]
const stepsOf = (path: string): Steps => path.split('.')

/** What stands at a path such as `invoke.targets.0.url`; undefined when nothing does. */
export function readAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of stepsOf(path)) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/** The same with another value at a path; `undefined` takes the member out. */
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

/** As a person would write it: a text at a path, and nothing for anything else. */
export function textAt(manifest: Manifest, path: string): string {
  const value = readAt(manifest, path)
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : ''
}

/** A number where a number was typed; the text itself elsewhere, for its fault to be told; nothing for nothing. */
export function numberOf(typed: string): number | string | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  return Number.isFinite(Number(text)) ? Number(text) : text
}

/** Paid by the token. */
export const isMetered = (manifest: Manifest): boolean =>
  manifest.serviceKind === 'llm' || manifest.priceModel === 'token_metered'

const ofTokens = [
  'inputPricePer1MTokensUsdc',
  'outputPricePer1MTokensUsdc',
  'cacheReadPricePer1M',
  'cacheWritePricePer1M',
  'defaultMaxOutputTokens',
  'maxAutoHoldUsdc',
  'holdBufferMultiplier',
  'llmDialect',
  'upstreamModel',
  'mediaTokens',
  'contextTokens',
]

/** The same, paid in the other way: what belongs to the one is not left in the other. */
export function paidBy(manifest: Manifest, model: 'fixed' | 'token_metered'): Manifest {
  const rest = Object.fromEntries(
    Object.entries(manifest).filter(([name]) => name !== 'pricing' && !ofTokens.includes(name)),
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

/** A manifest as it is sent: fields that were left empty are not there. Free-form members stay as they are. */
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
