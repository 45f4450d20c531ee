import { isDeeperThan } from '@farebox/wire/common'
import { TIMEOUT_MS_MAX } from '@farebox/wire/service-limits'
import { GATEWAY_HEADERS } from '@farebox/wire/upstream-headers'
import { CurlError, type CurlRequest, type Unsupported } from './curl-rules.ts'
import { inferSchema, isSecretName, withoutSecrets } from './infer-schema-rules.ts'
import type { ShellNote } from './shell-words-rules.ts'

/** Something that the provider should review. `path` in the manifest. */
export type DraftWarning = { readonly path: string; readonly message: string }

/** A manifest drafted from a command, without a price. */
export type Draft = {
  readonly manifest: Readonly<Record<string, unknown>>
  readonly warnings: readonly DraftWarning[]
  readonly unsupported: readonly Unsupported[]
}

const NAME_LENGTH_MAX = 80
const SUMMARY_LENGTH_MAX = 300
const BODY_DEPTH_MAX = 32
const HEADER_VALUE_LENGTH_MAX = 4_096
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
/** Methods with parameters in the query and no body. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])
/** Headers of browsers, and headers that the gateway sends itself. */
const NOISE =
  /^(?:sec-.*|accept|accept-language|origin|referer|dnt|priority|cache-control|pragma|upgrade-insecure-requests|if-.*|content-type)$/i
const PLACEHOLDER = /\$[A-Za-z_{]|<[^>]*>|\bYOUR[_-]|\bxxx+\b/i

const NOTES: Readonly<Record<ShellNote, string>> = {
  variable: 'Shell variables are not expanded: they were taken as they are written.',
  substitution: 'Nothing is run: a command substitution was taken as it is written.',
  operator: 'Only the first command is read: what follows a shell operator was left out.',
  more_lines: 'Only the first command is read: what is on further lines was left out.',
  ampersand: 'An & without quotes was read as part of the URL; a shell would end the command there.',
}

/** State of a draft in progress, and the test for secrets. */
type Findings = {
  readonly warnings: DraftWarning[]
  readonly unsupported: Unsupported[]
  readonly looksSecret: (text: string) => boolean
}

/**
 * Drafts a manifest from the request of a curl command.
 *
 * @param looksSecret returns true for texts that callers must not see
 * @throws CurlError for an invalid URL, or one that is not http
 */
export function draftManifest(
  request: CurlRequest,
  notes: readonly ShellNote[],
  looksSecret: (text: string) => boolean,
): Draft {
  const found: Findings = {
    looksSecret,
    warnings: [],
    unsupported: [...request.unsupported, ...notes.map(note => ({ option: 'shell', message: NOTES[note] }))],
  }
  const url = readUrl(request.url, found)
  const method = methodOf(request, found)
  const headers = headersOf(request, url, found)
  const sample = exampleOf(sampleOf(request, { url, method }, found), found)
  const dialect = dialectOf(url, method)
  const timeoutMs = request.maxTimeSeconds === null ? null : Math.ceil(request.maxTimeSeconds * 1_000)
  const manifest = {
    serviceName: nameOf(url),
    summary: `Answers ${method} requests by ${url.hostname}`.slice(0, SUMMARY_LENGTH_MAX),
    ...(dialect === null ? priceFixed(found) : priceTokens(dialect, sample, found)),
    invoke: {
      method,
      targets: [{ url: url.href, weight: 1 }],
      request: requestOf(sample, dialect, found),
      response: {},
      ...(timeoutMs !== null && { timeoutMs: Math.min(TIMEOUT_MS_MAX, Math.max(1, timeoutMs)) }),
    },
    ...(Object.keys(headers).length > 0 && { upstreamHeaders: headers }),
  }
  const { warnings, unsupported } = found
  return { manifest, warnings, unsupported }
}

function readUrl(text: string, { warnings, unsupported, looksSecret }: Findings): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const parsed = URL.parse(hasScheme ? text : `https://${text}`)
  const isService = parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.hostname !== ''
  // Callers see the name of the host.
  if (!isService || looksSecret(parsed.hostname)) {
    throw new CurlError('The URL of the command is none that a service can have.')
  }
  if (!hasScheme) {
    warnings.push({ path: 'invoke.targets.0.url', message: 'The URL had no scheme; https was assumed.' })
  }
  if (/[{}[\]]/.test(text.replace(/\/\/\[[^\]]*\]/, ''))) {
    unsupported.push({ option: 'url', message: 'Patterns in URLs ({a,b}, [1-9]) are not expanded.' })
  }
  parsed.hash = ''
  return parsed
}

function methodOf({ method }: CurlRequest, { unsupported }: Findings): string {
  if (METHODS.has(method)) return method
  unsupported.push({
    option: '-X',
    message: `A service is not called by ${method.slice(0, 20)}; POST was assumed.`,
  })
  return 'POST'
}

/** Returns the headers for targets, names in lower case. Flags those with secrets. */
function headersOf(request: CurlRequest, url: URL, found: Findings): Record<string, string> {
  const headers: Record<string, string> = {}
  const given = [...request.headers]
  if (url.username !== '') {
    const user = `${unescaped(url.username)}:${unescaped(url.password)}`
    const value = `Basic ${Buffer.from(user, 'utf8').toString('base64')}`
    given.push({ name: 'Authorization', value, from: 'url' })
    url.username = ''
    url.password = ''
  }
  for (const { name: written, value, from } of given) {
    const name = written.toLowerCase()
    if (NOISE.test(name)) continue
    if (GATEWAY_HEADERS.has(name) || name.startsWith('farebox-')) {
      found.unsupported.push({ option: from, message: `The gateway writes the header ${name} itself.` })
      continue
    }
    const isSendable =
      /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/.test(name) &&
      /^[\x20-\x7e\t]*$/.test(value) &&
      value.length <= HEADER_VALUE_LENGTH_MAX
    if (!isSendable) {
      found.unsupported.push({ option: from, message: 'A header was left out that cannot be sent.' })
      continue
    }
    headers[name] = value
    warnOfHeader(name, value, found)
  }
  return headers
}

/** Invalid escapes stay as they are, as in curl. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

function warnOfHeader(name: string, value: string, { warnings }: Findings): void {
  const path = `upstreamHeaders.${name}`
  if (PLACEHOLDER.test(value)) {
    warnings.push({
      path,
      message: 'This looks like a placeholder: put the real value in before registering.',
    })
  } else if (isSecretName(name)) {
    const message = 'Holds a secret. It is kept encrypted, sent to your targets only, and never shown again.'
    warnings.push({ path, message })
  }
}

/** Returns an example of `payload.body`; null if there is none. */
function sampleOf(
  request: CurlRequest,
  { url, method }: { url: URL; method: string },
  found: Findings,
): unknown {
  if (BODILESS.has(method)) {
    if (request.body !== null) {
      found.unsupported.push({ option: '-d', message: `Calls by ${method} send no body.` })
    }
    return queryOf(url, found)
  }
  if (request.form.length > 0) {
    found.unsupported.push({
      option: '-F',
      message: 'Calls send JSON: your target must take it for this form.',
    })
    return Object.fromEntries(request.form.map(({ name, value }) => [name, value]))
  }
  if (request.body === null) return null
  const json = readJson(request.body)
  if (json !== undefined) return json
  const isForm = !request.isJson && /^[^\s{}[\]"]*=/.test(request.body)
  const message = isForm
    ? 'Calls send JSON: your target must take it for this form.'
    : 'The body is not JSON, which is what calls send; it was left out.'
  found.unsupported.push({ option: '-d', message })
  return isForm ? Object.fromEntries(new URLSearchParams(request.body)) : null
}

/** Moves query parameters to the callers; those with secrets stay in the target. */
function queryOf(url: URL, { warnings, looksSecret }: Findings): unknown {
  const sample: [string, string][] = []
  const kept = new URLSearchParams()
  for (const [name, value] of url.searchParams) {
    if (!isSecretName(name) && !looksSecret(name) && !looksSecret(value)) {
      sample.push([name, value])
      continue
    }
    kept.append(name, value)
    const message = `The parameter ${name} looks like a secret. It stays in the target URL, which only you see.`
    warnings.push({ path: 'invoke.targets.0.url', message })
  }
  url.search = kept.toString()
  return sample.length === 0 ? null : Object.fromEntries(sample)
}

/** @returns undefined if it is not JSON, or nested too deep for a manifest */
function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeperThan(value, BODY_DEPTH_MAX) ? undefined : value
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns a sample as callers may see it. */
function exampleOf(sample: unknown, { warnings, looksSecret }: Findings): unknown {
  const { value, paths } = withoutSecrets(sample, looksSecret)
  for (const path of paths) {
    warnings.push({ path, message: 'A secret was taken out: callers see the example.' })
  }
  return value
}

function requestOf(example: unknown, dialect: Dialect | null, { warnings }: Findings) {
  if (example === null) return {}
  // Models gain members all the time: a schema of one call would refuse them.
  if (dialect !== null) return { example }
  warnings.push({
    path: 'invoke.request.body',
    message: 'The schema was made of one example. Say what is required, and describe what callers send.',
  })
  return { body: inferSchema(example), example }
}

type Dialect = 'openai' | 'anthropic'

function dialectOf({ pathname, hostname }: URL, method: string): Dialect | null {
  if (method !== 'POST') return null
  if (/\/(?:chat\/completions|responses)\/?$/.test(pathname)) return 'openai'
  const isMessages = /\/v\d+\/messages\/?$/.test(pathname) || hostname === 'api.anthropic.com'
  return isMessages && pathname.endsWith('messages') ? 'anthropic' : null
}

function priceFixed({ warnings }: Findings) {
  warnings.push({ path: 'pricing', message: 'Without a price calls are free: set pricing.amount.' })
  return { serviceKind: 'api', priceModel: 'fixed' }
}

function priceTokens(llmDialect: Dialect, sample: unknown, { warnings }: Findings) {
  const message = 'Set inputPricePer1MTokensUsdc and outputPricePer1MTokensUsdc: both must be there.'
  warnings.push({ path: 'pricing', message })
  const model = typeof sample === 'object' && sample !== null && 'model' in sample ? sample.model : null
  const isNamed = typeof model === 'string' && /^[\x20-\x7e]{1,200}$/.test(model) && model.trim() !== ''
  return {
    serviceKind: 'llm',
    priceModel: 'token_metered',
    llmDialect,
    ...(isNamed && { upstreamModel: model }),
  }
}

/** `https://api.weather.example/v1/now` becomes `weather.example now`. Omits possible keys in the path. */
function nameOf({ hostname, pathname }: URL): string {
  const host = hostname.replace(/^(?:api|www)\./, '')
  const part = pathname.split('/').findLast(segment => /^[a-z][a-z_-]{1,29}$/i.test(segment))
  return (part === undefined ? host : `${host} ${part}`).slice(0, NAME_LENGTH_MAX)
}
