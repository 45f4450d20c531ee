import { GatewayError } from './errors.ts'
import { type EventStream, openStream } from './event-stream.ts'
import { operationPlaces, type operations } from './schema.gen.ts'
import { readCompatError, readStreamError } from './stream-errors.ts'
import { type ClientOptions, createTransport, type Outgoing, type Read } from './transport.ts'

export type { Bill, EventStream } from './event-stream.ts'

/** Name of an operation: its `operationId` in the contract. */
export type OperationName = keyof typeof operationPlaces

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never
type Parameters<Name extends OperationName> = operations[Name]['parameters']
type BodyOf<Name extends OperationName> = operations[Name] extends { requestBody?: infer Body }
  ? Json<NonNullable<Body>>
  : never

/** Response body of a successful operation. */
export type AnswerOf<Name extends OperationName> = operations[Name]['responses'] extends { 200: infer Done }
  ? Json<Done>
  : never

/** A member that is required when its value has required members. */
type Member<Key extends string, Value> = [Value] extends [never]
  ? { readonly [K in Key]?: never }
  : Record<never, never> extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value }
type Part<Name extends OperationName, Key extends 'path' | 'query'> = NonNullable<Parameters<Name>[Key]>

/** Options of a single request. */
export type RequestOptions = {
  readonly signal?: AbortSignal | undefined
  /** Timeout for the response, in ms. Covers only the response headers for streams and responses other than JSON. */
  readonly timeoutMs?: number | undefined
  /** Agent credential, for this request only. */
  readonly credential?: string | undefined
  /** Provider secret, for this request only. */
  readonly providerSecret?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Operations under whose idempotency key the gateway repeats an answer. Others would do their work twice. */
type KeyOf<Name extends OperationName> = (typeof operationPlaces)[Name] extends { readonly key: true }
  ? {
      /** Idempotency key of a request that moves money. Default: a random UUID. */
      readonly idempotencyKey?: string | undefined
    }
  : { readonly idempotencyKey?: undefined }

/** Arguments of an operation. One that moves money also takes `idempotencyKey`, by default a random UUID. */
export type InputOf<Name extends OperationName> = Member<'path', Part<Name, 'path'>> &
  Member<'query', Part<Name, 'query'>> &
  (operations[Name] extends { requestBody: object }
    ? { readonly body: BodyOf<Name> }
    : { readonly body?: BodyOf<Name> }) &
  KeyOf<Name> &
  RequestOptions

type Arguments<Name extends OperationName> =
  Record<never, never> extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]

/** One method per operation of the gateway, and two for responses other than JSON. */
export type Client = {
  // `keyof typeof` in place of OperationName: it keeps the comments of the table, which editors show.
  readonly [Name in keyof typeof operationPlaces]: (...input: Arguments<Name>) => Promise<AnswerOf<Name>>
} & {
  /** Sends an operation and returns the response unread, for CSV or to read headers. */
  readonly raw: <Name extends OperationName>(name: Name, ...input: Arguments<Name>) => Promise<Response>
  /** Sends an operation that responds with server-sent events. */
  readonly stream: <Name extends OperationName>(name: Name, ...input: Arguments<Name>) => Promise<EventStream>
}

/** Input of any operation, after its types have been checked. */
type AnyInput = RequestOptions & {
  readonly path?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
}

/** Default timeout, in ms. */
const TIMEOUT_MS = 30_000
/** Default timeout of operations that call a service, in ms: a call may take 120 s, the rest covers the network. */
const CALL_TIMEOUT_MS = 135_000
const CALLS: ReadonlySet<OperationName> = new Set<OperationName>([
  'invokeService',
  'createChatCompletion',
  'createResponse',
  'createMessage',
  'createCompletion',
  'createEmbeddings',
  'countMessageTokens',
  'callMcp',
])

/** An absolute URL, or for pages a path of their origin. */
const BASE_URL = /^(?:https?:\/\/|\/|$)/i

/**
 * Creates a client of a gateway, for browsers and Node. Requests that move money carry an idempotency key, which
 * retries reuse.
 *
 * @throws TypeError for a `baseUrl` that is none
 *
 * @example
 * const api = createClient({ baseUrl: 'http://127.0.0.1:8402', token: () => session })
 * const { entries } = await api.listLedgerEntries({ query: { limit: 20 } })
 */
export function createClient(options: ClientOptions): Client {
  if (!BASE_URL.test(options.baseUrl)) {
    throw new TypeError(
      `baseUrl: ${options.baseUrl} is not the URL of a gateway, such as https://gateway.example.`,
    )
  }
  const send = createTransport(options)
  const sender =
    <Answer>(read: Read<Answer>) =>
    async (name: OperationName, input: AnyInput = {}) =>
      send(outgoing(options, name, input), read)
  const call = sender(readJson)
  const methods = Object.keys(operationPlaces).map(name => [
    name,
    (input?: AnyInput) => call(name as OperationName, input),
  ])
  const stream = (name: OperationName, input?: AnyInput) =>
    sender(response => openStream(response, name === 'invokeService' ? readStreamError : readCompatError))(
      name,
      input,
    )
  const ways = { raw: sender(response => response), stream }
  // The cast is safe: `operationPlaces` and the types are generated from the same document.
  return { ...Object.fromEntries(methods), ...ways } as Client
}

function fillPath(template: string, values: Record<string, unknown> = {}): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    // Without it the path would be that of another operation.
    if (value === '') throw new TypeError(`path.${name} is missing.`)
    return encodeURIComponent(String(value))
  })
}

/** Returns a query with its question mark: arrays repeat their parameter, undefined members are left out. */
function queryOf(values: Record<string, unknown> = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const each of [value].flat())
      if (each !== undefined && each !== null) query.append(name, String(each))
  }
  const text = String(query)
  return text === '' ? '' : `?${text}`
}

/**
 * Returns a random UUID (version 4), as an idempotency key. Unlike `crypto.randomUUID`, it also works on pages that came
 * over plain HTTP.
 */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/**
 * Returns the key of a request that moves money: the given one, else that of the body, else a random one.
 *
 * @throws TypeError for a key that the gateway would ignore: each attempt would be a request of its own, or one under
 * the other key of the body
 */
function keyOf(
  name: OperationName,
  { key }: { key?: true },
  { idempotencyKey, body }: AnyInput,
): string | undefined {
  if (key !== true) {
    if (idempotencyKey !== undefined) throw new TypeError(`${name} takes no idempotencyKey.`)
    return undefined
  }
  const inBody = (body as { idempotencyKey?: string } | undefined)?.idempotencyKey
  if (inBody !== undefined && idempotencyKey !== undefined && inBody !== idempotencyKey)
    throw new TypeError(`${name}: body.idempotencyKey is another key than idempotencyKey.`)
  return idempotencyKey ?? inBody ?? randomKey()
}

function outgoing(options: ClientOptions, name: OperationName, input: AnyInput): Outgoing {
  const place: { method: string; path: string; key?: true } = operationPlaces[name]
  const { method } = place
  const key = keyOf(name, place, input)
  const headers = new Headers({
    ...(input.body !== undefined && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'x-idempotency-key': key }),
    ...(input.credential !== undefined && { 'x-credential': input.credential }),
    ...(input.providerSecret !== undefined && { authorization: `Bearer ${input.providerSecret}` }),
  })
  // Replaces, whatever the case of the name: `new Headers` would join both values.
  for (const [header, value] of Object.entries(input.headers ?? {})) headers.set(header, value)
  return {
    method,
    url: options.baseUrl.replace(/\/$/, '') + fillPath(place.path, input.path) + queryOf(input.query),
    headers,
    body: input.body === undefined ? undefined : JSON.stringify(input.body),
    signal: input.signal,
    timeoutMs: input.timeoutMs ?? options.timeoutMs ?? (CALLS.has(name) ? CALL_TIMEOUT_MS : TIMEOUT_MS),
    // A payment of x402 is a key too: the gateway uses it once.
    isRepeatable: method === 'GET' || key !== undefined || input.headers?.['payment-signature'] !== undefined,
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new GatewayError('UNREADABLE', 'The answer of the gateway cannot be read.', {
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      cause,
    })
  }
}
