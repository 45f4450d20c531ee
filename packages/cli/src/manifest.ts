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
    ...pricesOf(options),
    ...(Object.keys(headers).length > 0 && {
      upstreamHeaders: { ...(manifest.upstreamHeaders as Manifest | undefined), ...headers },
    }),
    ...(inactive && { isActive: false }),
    invoke: { ...given, ...invoke },
  }
}

function pricesOf(options: ManifestOptions): Manifest {
  const { price, inputPrice, outputPrice, dialect, upstreamModel, maxOutputTokens, maxAutoHold } = options
  const isModel = inputPrice !== undefined || outputPrice !== undefined
  if (isModel && price !== undefined)
    throw badInput('A service has a price of calls or of tokens: leave out --price, or the prices of tokens.')
  if (isModel && (inputPrice === undefined || outputPrice === undefined))
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
