import { formatUsdc, type Usdc } from '@farebox/money'
import { readPair } from './commands/read-options.ts'
import { badInput } from './failure.ts'

type Manifest = Record<string, unknown>

/** Options of `farebox register` that are members of a manifest. */
export type ManifestOptions = {
  readonly name?: string
  readonly toolName?: string
  readonly summary?: string
  readonly tag?: readonly string[]
  readonly url?: readonly string[]
  readonly method?: string
  readonly timeoutMs?: number
  readonly header?: readonly string[]
  readonly headerEnv?: readonly string[]
  readonly price?: Usdc
  readonly inputPrice?: Usdc
  readonly outputPrice?: Usdc
  readonly dialect?: string
  readonly upstreamModel?: string
  readonly maxOutputTokens?: number
  readonly maxAutoHold?: Usdc
  readonly inactive?: true
}

/**
 * Returns a manifest with the members that options give instead of its own. The gateway validates the rest.
 *
 * @throws Failure if neither names a target, or a header cannot be read
 */
export function overlay(manifest: Manifest, options: ManifestOptions): Manifest {
  const { name, toolName, summary, tag, inactive } = options
  const given = manifest.invoke as Manifest | undefined
  const invoke = present({
    method: options.method,
    timeoutMs: options.timeoutMs,
    targets: options.url?.map(url => ({ url, weight: 1 })),
  })
  if (given?.targets === undefined && invoke.targets === undefined)
    throw badInput('Name a target: --url, --from-curl, --from-openapi or --manifest.')
  const headers = headersOf(options)
  return {
    ...manifest,
    ...present({ serviceName: name, agentToolName: toolName, summary, tags: tag && [...tag] }),
    ...pricesOf(manifest, options),
    ...(Object.keys(headers).length > 0 && {
      upstreamHeaders: { ...without(manifest.upstreamHeaders as Manifest | undefined, headers), ...headers },
    }),
    ...(inactive && { isActive: false }),
    invoke: { ...given, ...invoke },
  }
}

/**
 * Returns the changes of a service that a manifest and options ask for. A change replaces each member whole, so `invoke`
 * has the rest of the service's, and headers those that are given only: the stored ones are not shown.
 *
 * @throws Failure as {@link overlay}
 */
export function changesOf(service: Manifest, given: Manifest, options: ManifestOptions): Manifest {
  const { invoke, inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc } = service
  const known = present({ invoke, inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc })
  const changed = overlay({ ...known, ...given }, options)
  const { url, method, timeoutMs } = options
  const isKept = (name: string) =>
    name === 'invoke'
      ? [given.invoke, url, method, timeoutMs].every(part => part === undefined)
      : given[name] === undefined && changed[name] === known[name]
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !isKept(name)))
}

/** Returns headers without those of the same names, in any case. */
function without(headers: Manifest = {}, names: Manifest): Manifest {
  const replaced = new Set(Object.keys(names).map(name => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase())))
}

/** A note of the gateway on a member of a draft. */
export type DraftWarning = { readonly path: string; readonly message: string }

/** Returns the warnings that still apply once options have replaced members of a draft. */
export function remaining(warnings: readonly DraftWarning[], options: ManifestOptions): DraftWarning[] {
  const { price, inputPrice, url } = options
  const replaced = new Set([
    ...Object.keys(headersOf(options)).map(name => `upstreamheaders.${name.toLowerCase()}`),
    ...(price === undefined && inputPrice === undefined ? [] : ['pricing']),
    ...(url === undefined ? [] : ['invoke.targets.0.url']),
  ])
  return warnings.filter(({ path }) => !replaced.has(path.toLowerCase()))
}

/** @throws Failure if a manifest has a placeholder where a key belongs */
export function refusePlaceholders(manifest: Manifest, warnings: readonly DraftWarning[]): void {
  const headers = Object.entries((manifest.upstreamHeaders ?? {}) as Manifest)
  const [left] = [
    ...headers
      .filter(([, value]) => /<\w[\w .:-]*>/.test(String(value)))
      .map(([name]) => `upstreamHeaders.${name}`),
    ...warnings.filter(({ message }) => message.includes('placeholder')).map(({ path }) => path),
  ]
  if (left === undefined) return
  const name = left.startsWith('upstreamHeaders.') ? left.slice('upstreamHeaders.'.length) : null
  throw badInput(
    `${left} holds a placeholder for your key. Nothing was registered.`,
    name === null ? 'Give the URL with the key: --url' : `Give the key: --header-env ${name}=VARIABLE`,
  )
}

function pricesOf(manifest: Manifest, options: ManifestOptions): Manifest {
  const { price, inputPrice, outputPrice, dialect, upstreamModel, maxOutputTokens, maxAutoHold } = options
  const isModel = inputPrice !== undefined || outputPrice !== undefined
  if (isModel && price !== undefined)
    throw badInput('A service has a price of calls or of tokens: leave out --price, or the prices of tokens.')
  const prices = [
    inputPrice ?? manifest.inputPricePer1MTokensUsdc,
    outputPrice ?? manifest.outputPricePer1MTokensUsdc,
  ]
  if (isModel && prices.includes(undefined))
    throw badInput('A model has two prices: --input-price and --output-price.')
  return present({
    ...(isModel && { serviceKind: 'llm', priceModel: 'token_metered' }),
    pricing: price === undefined ? undefined : { currency: 'USDC', amount: formatUsdc(price) },
    inputPricePer1MTokensUsdc: inputPrice === undefined ? undefined : formatUsdc(inputPrice),
    outputPricePer1MTokensUsdc: outputPrice === undefined ? undefined : formatUsdc(outputPrice),
    llmDialect: dialect,
    upstreamModel,
    defaultMaxOutputTokens: maxOutputTokens,
    maxAutoHoldUsdc: maxAutoHold === undefined ? undefined : formatUsdc(maxAutoHold),
  })
}

function headersOf({ header = [], headerEnv = [] }: ManifestOptions): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const each of header) {
    const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(each) ?? []
    if (name === undefined || value === undefined)
      throw badInput('A --header is not "Name: value". Its text is not repeated here, as it may be secret.')
    headers[name] = value
  }
  for (const each of headerEnv) {
    const [name, variable] = readPair(each, '--header-env')
    const value = process.env[variable]
    if (value === undefined) throw badInput(`The environment has no ${variable} for --header-env ${name}.`)
    headers[name] = value
  }
  return headers
}

/** Returns an object without its undefined members. */
function present(members: Manifest): Manifest {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
