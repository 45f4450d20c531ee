import { TIMEOUT_MS_MAX } from '@farebox/wire/service-limits'
import { GATEWAY_HEADERS } from '@farebox/wire/upstream-headers'
import { CurlError, type CurlRequest, type Unsupported } from './curl-rules.ts'
import { type DraftBody, groupFields, readBody } from './draft-body-rules.ts'
import type { DraftWarning, Findings } from './draft-findings-rules.ts'
import {
  type DraftQuery,
  type DraftUrl,
  readUrl,
  renamedPath,
  takeQuery,
  targetOf,
} from './draft-url-rules.ts'
import { type InferredSchema, inferSchema, isSecretName, withoutSecrets } from './infer-schema-rules.ts'
import { holdsPlaceholder, isPlaceholder, withoutPlaceholders } from './placeholder-rules.ts'
import type { ShellNote } from './shell-words-rules.ts'

/** A manifest drafted from a command, without a price. */
export type Draft = {
  readonly manifest: Readonly<Record<string, unknown>>
  readonly warnings: readonly DraftWarning[]
  readonly unsupported: readonly Unsupported[]
}

const NAME_LENGTH_MAX = 80
const SUMMARY_LENGTH_MAX = 300
const HEADER_VALUE_LENGTH_MAX = 4_096
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
/** Methods with parameters in the query and no body. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])
/** Headers of browsers, and headers that the gateway sends itself. */
const NOISE =
  /^(?:sec-.*|accept|accept-language|origin|referer|dnt|priority|cache-control|pragma|upgrade-insecure-requests|if-.*|content-type)$/i

const NOTES: Readonly<Record<ShellNote, string>> = {
  variable: 'Shell variables are not expanded: they were kept as written.',
  substitution: 'Nothing is run: a command substitution was kept as written.',
  operator: 'Only the first command is read: what follows a shell operator was left out.',
  more_lines: 'Only the first command is read: what is on further lines was left out.',
  ampersand: 'An & without quotes was read as part of the URL; a shell would end the command there.',
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
  const method = methodOf(request)
  const address = readUrl(request.url, found)
  const { url } = address
  const headers = headersOf(request, url, found)
  const body = readBody(request, method, found)
  const dialect = body.encoding === 'json' ? dialectOf(url, method) : null
  const query = takeQuery(url, BODILESS.has(method), found)
  const asked = requestOf({ address, query, body, isBodiless: BODILESS.has(method), dialect }, found)
  const timeoutMs = request.maxTimeSeconds === null ? null : Math.ceil(request.maxTimeSeconds * 1_000)
  const manifest = {
    serviceName: nameOf(url),
    summary: `Answers ${method} requests by ${url.hostname}`.slice(0, SUMMARY_LENGTH_MAX),
    ...(dialect === null ? priceFixed(found) : priceTokens(dialect, body.sample, found)),
    invoke: {
      method,
      targets: [{ url: asked.target, weight: 1 }],
      ...(body.encoding !== 'json' && { encoding: body.encoding }),
      ...(body.contentType !== undefined && { contentType: body.contentType }),
      request: asked.request,
      response: {},
      ...(timeoutMs !== null && { timeoutMs: Math.min(TIMEOUT_MS_MAX, Math.max(1, timeoutMs)) }),
    },
    ...(Object.keys(headers).length > 0 && { upstreamHeaders: headers }),
  }
  const { warnings, unsupported } = found
  return { manifest, warnings, unsupported }
}

function methodOf({ method }: CurlRequest): string {
  if (METHODS.has(method)) return method
  throw new CurlError(`A service cannot be called with ${method.slice(0, 20)}.`, '-X')
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
      found.unsupported.push({ option: from, message: `The gateway sets the header ${name} itself.` })
      continue
    }
    const isSendable =
      /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/.test(name) &&
      /^[\x20-\x7e\t]*$/.test(value) &&
      value.length <= HEADER_VALUE_LENGTH_MAX
    if (!isSendable) {
      found.unsupported.push({ option: from, message: 'A header that cannot be sent was left out.' })
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
  if (holdsPlaceholder(value)) {
    warnings.push({
      path,
      message: 'This looks like a placeholder: replace it before registering.',
    })
  } else if (isSecretName(name)) {
    const message =
      'Contains a secret. It is stored encrypted, sent only to your targets, and never shown again.'
    warnings.push({ path, message })
  }
}

type Asked = {
  readonly address: DraftUrl
  readonly query: DraftQuery
  readonly body: DraftBody
  readonly isBodiless: boolean
  readonly dialect: Dialect | null
}

/** Returns the target and the request members of the manifest: schemas and an example. */
function requestOf(asked: Asked, found: Findings) {
  const { address, query, body, isBodiless, dialect } = asked
  const parameters = groupFields(query.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
  const sample = isBodiless && query.length > 0 ? parameters : body.sample
  const example = exampleOf(sample, body.files, found)
  const inBody = isBodiless || dialect !== null ? null : bodySchemaOf(body, found)
  const inBodyNames = Object.keys((inBody?.properties ?? {}) as object)
  const names = query.map(([name]) => name).filter(name => !inBodyNames.includes(name))
  const renamed = renamedPath(address.names, [
    ...names,
    ...inBodyNames,
    ...(body.encoding === 'text' ? ['body'] : []),
  ])
  const path = address.names.map(name => [renamed.get(name) ?? name, { type: ['string', 'number'] }] as const)
  return {
    target: targetOf(address, renamed),
    request: {
      ...(path.length > 0 && { path: { type: 'object', properties: Object.fromEntries(path) } }),
      ...(names.length > 0 && { query: querySchemaOf(names, query, isBodiless) }),
      ...(inBody !== null && { body: inBody }),
      ...(example !== null && example !== undefined && { example }),
    },
  }
}

function querySchemaOf(names: readonly string[], query: DraftQuery, isBodiless: boolean) {
  const given = groupFields(query.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
  const properties = names.map(name => {
    const value = given[name]
    const isNumber = typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value)
    const type = Array.isArray(value) ? 'array' : isNumber ? ['number', 'string'] : 'string'
    return [
      name,
      isBodiless && value === undefined ? { type: ['string', 'number', 'boolean'] } : { type },
    ] as const
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Returns the schema of a body, or null. */
function bodySchemaOf(body: DraftBody, { warnings, looksSecret }: Findings): InferredSchema | null {
  const { encoding, sample, files } = body
  if (encoding === 'text') return { type: 'string' }
  const isEmpty = sample === null && Object.keys(files).length === 0
  if (isEmpty) return null
  const { value } = withoutSecrets(sample ?? {}, looksSecret)
  const inferred = inferSchema(value, isPlaceholder)
  const shown = Object.fromEntries(Object.entries(files).filter(([name]) => !looksSecret(name)))
  warnings.push({
    path: 'invoke.request.body',
    message:
      'The schema was inferred from one example. Say what is required, and describe what callers send.',
  })
  return { ...inferred, properties: { ...(inferred.properties as object), ...shown } }
}

/** Returns a sample as callers may see it. */
function exampleOf(sample: unknown, files: DraftBody['files'], { warnings, looksSecret }: Findings): unknown {
  const names = Object.keys(files).filter(name => !looksSecret(name))
  if (sample === null && names.length === 0) return null
  const { value, paths } = withoutSecrets(sample ?? {}, looksSecret)
  for (const path of paths) {
    warnings.push({ path, message: 'A secret was removed: callers see the example.' })
  }
  const known = withoutPlaceholders(value)
  if (names.length === 0) return known
  const parts = names.map(name => [name, { base64: '', filename: name }] as const)
  return { ...(known as object), ...Object.fromEntries(parts) }
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
  const message = 'Set inputPricePer1MTokensUsdc and outputPricePer1MTokensUsdc: both are required.'
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
