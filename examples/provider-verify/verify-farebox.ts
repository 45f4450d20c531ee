// long: providers copy this one file

import {
  createHash,
  createHmac,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/**
 * Proof that a request comes from a Farebox gateway: HTTP Message Signatures (RFC 9421), by Ed25519 or by
 * HMAC-SHA256 with a secret of yours, and the digest of the body (RFC 9530). One file, no dependencies but Node's own modules: copy it.
 */

const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory'
const DIRECTORY_TIMEOUT_MS = 5_000
const DIRECTORY_KEYS_MAX = 100
const DIRECTORY_BYTES_MAX = 262_144
/** A signature is made for 300 seconds; none is taken that claims more. */
const LIFETIME_SECONDS_MAX = 300
const REPLAYS_KEPT_MAX = 100_000
const BODY_BYTES_MAX = 1_048_576
const INVOCATION_ID = 'farebox-invocation-id'
const SERVICE_ID = 'farebox-service-id'
const PROVIDER = 'farebox-provider'
const PURPOSE = 'farebox-purpose'

/** How to verify. Only the first three have no default. */
export type VerifyOptions = {
  /** URL of the gateway that may call: its keys are fetched from there. */
  readonly gatewayUrl: string
  /** URL by which the gateway reaches this server, as registered: scheme, host, and a path prefix if a proxy cuts one. */
  readonly publicUrl: string
  /**
   * Your wallet, or wallets: the ones that registered services with targets at this server. Anybody may register your
   * URL as a service of theirs, and the gateway signs what it sends for it; the signature then names their wallet.
   */
  readonly wallet: string | readonly string[]
  /**
   * Your signing secrets by their key ids, `{ 'sig_...': 'sigsec_...' }`, for services with `signature: "hmac-sha256"`;
   * two of them while one replaces the other. Default none: Ed25519 alone is believed.
   */
  readonly secrets?: Readonly<Record<string, string>>
  /** How far the clocks may be apart. Default 60. */
  readonly skewSeconds?: number
  /** How long fetched keys are used before they are fetched again. Default 300. */
  readonly cacheSeconds?: number
  /** Shortest time between two fetches, whatever keys requests name. Default 10. */
  readonly refetchSeconds?: number
  /** Refuses an invocation that was delivered to the same URL before. Default false. Each process remembers its own. */
  readonly refuseReplays?: boolean
  /** Largest body the middleware reads. Default 1 MiB. */
  readonly bodyBytesMax?: number
  /** Unix milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/** A request as it came: `url` is the path with its query, unchanged, and `body` the bytes, unparsed. */
export type ReceivedMessage = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** Who called, and for which of your services. Only an `invocation` is paid for: do no work for the others. */
export type Verified = {
  readonly keyId: string
  /** Null for a probe or a ping. */
  readonly invocationId: string | null
  readonly serviceId: string
  readonly purpose: Purpose
}

/**
 * Why the gateway sent a request: a paid call, a health probe, a probe that the provider asked for, or a question for
 * the tokens of a prompt, which is free.
 */
export type Purpose = 'invocation' | 'probe' | 'ping' | 'count_tokens'
const PURPOSES: readonly (string | null)[] = [
  'invocation',
  'probe',
  'ping',
  'count_tokens',
] satisfies Purpose[]
const isPurpose = (text: string | null): text is Purpose => PURPOSES.includes(text)

/** Why a request is not believed. */
export type RefusalReason =
  | 'signature_missing'
  | 'signature_malformed'
  | 'not_covered'
  | 'stale'
  | 'unknown_key'
  | 'digest_mismatch'
  | 'signature_invalid'
  | 'other_provider'
  | 'replayed'
  | 'keys_unavailable'
  | 'body_too_large'

/** A request that is not believed; `status` is the HTTP status to answer with. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: RefusalReason
  readonly status: number

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.status = statusOf[reason] ?? 401
  }
}

const statusOf: Readonly<Partial<Record<RefusalReason, number>>> = {
  other_provider: 403,
  replayed: 409,
  keys_unavailable: 503,
  body_too_large: 413,
}

/**
 * Makes a function that verifies one request.
 *
 * @returns a function that resolves to the caller, or rejects with a {@link Refusal}
 */
export function createVerifier(options: VerifyOptions): (message: ReceivedMessage) => Promise<Verified> {
  const now = options.now ?? Date.now
  const skew = options.skewSeconds ?? 60
  const publicUrl = options.publicUrl.replace(/\/$/, '')
  const wallets = walletsOf(options.wallet)
  const fits = createCheck(options, now)
  const isFirst = createReplayGuard(now)

  return async message => {
    const signed = readSignature(message.headers)
    const invocationId = fieldOf(message.headers, INVOCATION_ID)
    const targetUri = publicUrl + message.url

    const needed = ['@method', '@target-uri', SERVICE_ID, PROVIDER, PURPOSE]
    if (message.body.length > 0) needed.push('content-digest')
    if (invocationId !== null) needed.push(INVOCATION_ID)
    const missing = needed.filter(name => !signed.components.includes(name))
    if (missing.length > 0)
      throw new Refusal('not_covered', `The signature does not cover ${missing.join(', ')}.`)

    const seconds = now() / 1_000
    const isFresh =
      signed.created <= seconds + skew &&
      signed.expires >= seconds - skew &&
      signed.expires - signed.created <= LIFETIME_SECONDS_MAX
    if (!isFresh) throw new Refusal('stale', 'The signature is too old, or from the future.')

    // Before the key is looked up: it costs less than a fetch.
    if (signed.components.includes('content-digest')) assertDigest(message)
    const base = signed.components
      .map(name => `"${name}": ${componentOf(name, message, targetUri)}\n`)
      .join('')
    const bytes = Buffer.from(`${base}"@signature-params": ${signed.parameters}`)
    if (!(await fits(bytes, signed))) {
      throw new Refusal('signature_invalid', 'The signature does not fit this request.')
    }
    const { serviceId, purpose } = readAddressee(message.headers, wallets)
    if ((purpose === 'invocation') !== (invocationId !== null)) {
      throw new Refusal('signature_malformed', 'An invocation has an id, and nothing else has.')
    }
    if (options.refuseReplays === true && invocationId !== null) {
      const until = (signed.expires + skew) * 1_000
      if (!isFirst(`${invocationId} ${targetUri}`, until)) {
        throw new Refusal('replayed', 'This invocation was delivered before.')
      }
    }
    return { keyId: signed.keyId, invocationId, serviceId, purpose }
  }
}

/**
 * Makes a function that says whether a signature is of these bytes. Secrets are for HMAC alone, and published keys for
 * Ed25519 alone: who names a published key with the other algorithm names none.
 */
function createCheck(options: VerifyOptions, now: () => number) {
  const keyOf = createDirectory(options, now)
  const secrets = secretsOf(options.secrets ?? {})
  return async (bytes: Buffer, { alg, keyId, signature }: Signed): Promise<boolean> => {
    if (alg === 'ed25519') return verify(null, bytes, await keyOf(keyId), signature)
    const secret = secrets.get(keyId)
    if (secret === undefined) throw new Refusal('unknown_key', 'No secret of this key id is known here.')
    return timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), signature)
  }
}

/** Made once: an HMAC by a key object takes a sixth of one by bytes. */
function secretsOf(given: Readonly<Record<string, string>>): ReadonlyMap<string, KeyObject> {
  const keys = Object.entries(given).map(([keyId, secret]) => {
    const [, base64] = /^sigsec_([A-Za-z0-9+/]{43}=)$/.exec(secret) ?? []
    if (base64 === undefined)
      throw new TypeError(`secrets: what ${keyId} names is no signing secret (sigsec_...).`)
    return [keyId, createSecretKey(Buffer.from(base64, 'base64'))] as const
  })
  return new Map(keys)
}

function walletsOf(given: VerifyOptions['wallet']): ReadonlySet<string> {
  const wallets = [given].flat()
  const isAddress = (text: unknown) => typeof text === 'string' && /^0x[\da-f]{40}$/i.test(text)
  if (wallets.length === 0 || !wallets.every(isAddress)) {
    throw new TypeError('wallet: give the 0x address that registered your services, or a list of them.')
  }
  return new Set(wallets.map(wallet => wallet.toLowerCase()))
}

/** For whom a request is whose signature fits; refused when that is somebody else. */
function readAddressee(headers: IncomingHttpHeaders, wallets: ReadonlySet<string>) {
  const purpose = fieldOf(headers, PURPOSE)
  const provider = fieldOf(headers, PROVIDER)?.toLowerCase()
  if (!isPurpose(purpose)) {
    throw new Refusal('signature_malformed', 'The signature is for an unknown purpose.')
  }
  if (provider === undefined || !wallets.has(provider)) {
    throw new Refusal('other_provider', 'The request is for a service of another wallet.')
  }
  return { serviceId: fieldOf(headers, SERVICE_ID) ?? '', purpose } as const
}

/** A request behind the middleware. */
export type FareboxRequest = IncomingMessage & {
  /** Set by Express when a router was mounted below a path. */
  originalUrl?: string
  /** The bytes of the body, where a parser before this one kept them; set by the middleware otherwise. */
  rawBody?: Buffer
  /** The body as JSON; set by the middleware when it is JSON and nobody has set it. */
  body?: unknown
  /** Who called; set by the middleware. */
  farebox?: Verified
}

/**
 * A middleware for Express, Connect, or a bare `node:http` server. It reads the body, so it stands before other
 * parsers, and sets `request.farebox`, `request.rawBody` and, for JSON, `request.body`. What it does not believe it
 * answers itself: `{"error": {"reason", "message"}}`.
 */
export function verifyFarebox(options: VerifyOptions) {
  const verifyMessage = createVerifier(options)
  const bytesMax = options.bodyBytesMax ?? BODY_BYTES_MAX

  return (request: FareboxRequest, response: ServerResponse, next: (error?: unknown) => void): void => {
    const check = async () => {
      request.rawBody ??= await readBody(request, bytesMax)
      const { method = '', headers, rawBody } = request
      const url = request.originalUrl ?? request.url ?? ''
      request.farebox = await verifyMessage({ method, url, headers, body: rawBody })
      if (request.body === undefined && headers['content-type']?.startsWith('application/json') === true) {
        request.body = JSON.parse(rawBody.toString('utf8'))
      }
    }
    check().then(
      () => next(),
      (error: unknown) => {
        if (!(error instanceof Refusal)) return next(error)
        const { status, reason, message } = error
        // What is left of a refused body is not read.
        response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
        response.end(JSON.stringify({ error: { reason, message } }))
      },
    )
  }
}

type Signed = {
  readonly components: readonly string[]
  readonly parameters: string
  readonly created: number
  readonly expires: number
  readonly keyId: string
  readonly alg: 'ed25519' | 'hmac-sha256'
  readonly signature: Buffer
}

/** `farebox=("a" "b");x=1;y="z"` among the members of a dictionary (RFC 8941), as gateways write it. */
const INPUT =
  /(?:^|,)[ \t]*farebox=(\(((?:"[a-z0-9@-]+" ?)*)\)((?:;[a-z]+=(?:\d{1,15}|"[\w+/=-]*"))*))[ \t]*(?:,|$)/
const SIGNATURE = /(?:^|,)[ \t]*farebox=:([A-Za-z0-9+/]{86}==|[A-Za-z0-9+/]{43}=):[ \t]*(?:,|$)/
/** Length of a signature by each algorithm, in bytes. */
const LENGTHS = { ed25519: 64, 'hmac-sha256': 32 } as const

function readSignature(headers: IncomingHttpHeaders): Signed {
  const inputText = fieldOf(headers, 'signature-input')
  const signatureText = fieldOf(headers, 'signature')
  if (inputText === null || signatureText === null) {
    throw new Refusal('signature_missing', 'The request is not signed.')
  }
  const [, parameters, list = '', pairs = ''] = INPUT.exec(inputText) ?? []
  const [, base64] = SIGNATURE.exec(signatureText) ?? []
  const parameter = (name: string) => new RegExp(`;${name}="?([^;"]+)`).exec(pairs)?.[1]
  const [created, expires, keyId] = [parameter('created'), parameter('expires'), parameter('keyid')]
  if (parameters === undefined || base64 === undefined) {
    throw new Refusal('signature_malformed', 'There is no readable signature of the label farebox.')
  }
  const alg = parameter('alg')
  if (created === undefined || expires === undefined || keyId === undefined) {
    throw new Refusal('signature_malformed', 'The signature lacks created, expires or keyid.')
  }
  if (alg !== 'ed25519' && alg !== 'hmac-sha256') {
    throw new Refusal('signature_malformed', 'The signature is neither by ed25519 nor by hmac-sha256.')
  }
  const components = list.split(' ').flatMap(name => (name === '' ? [] : [name.slice(1, -1)]))
  const signature = Buffer.from(base64, 'base64')
  if (signature.length !== LENGTHS[alg]) {
    throw new Refusal('signature_malformed', `The signature is too long or too short for ${alg}.`)
  }
  const times = { created: Number(created), expires: Number(expires) }
  return { components, parameters, ...times, keyId, alg, signature }
}

/** The value of a covered component (RFC 9421, 2). */
function componentOf(name: string, message: ReceivedMessage, targetUri: string): string {
  if (name === '@method') return message.method
  if (name === '@target-uri') return targetUri
  const value = name.startsWith('@') ? null : fieldOf(message.headers, name)
  if (value === null)
    throw new Refusal('signature_malformed', `The signature covers ${name}, which is not there.`)
  return value
}

function assertDigest({ headers, body }: ReceivedMessage): void {
  const [, given] =
    /(?:^|,)[ \t]*sha-256=:([A-Za-z0-9+/=]+):/.exec(fieldOf(headers, 'content-digest') ?? '') ?? []
  const actual = createHash('sha256').update(body).digest('base64')
  if (given !== actual) throw new Refusal('digest_mismatch', 'The body is not the one that was signed.')
}

/** A header as one line, its repetitions joined (RFC 9110, 5.3); null when it is absent. */
function fieldOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return value === undefined
    ? null
    : [value]
        .flat()
        .map(line => line.trim())
        .join(', ')
}

type DirectoryKey = { readonly key: KeyObject; readonly nbf: number; readonly exp: number }

/**
 * The keys of the gateway, fetched when they are needed, old, or do not hold the one that is named. Fetches are never
 * closer than `refetchSeconds`, so made-up key ids cost the gateway nothing; keys that are known work on while the
 * gateway cannot be reached.
 */
function createDirectory(options: VerifyOptions, now: () => number): (keyId: string) => Promise<KeyObject> {
  const url = options.gatewayUrl.replace(/\/$/, '') + DIRECTORY_PATH
  const cacheMs = (options.cacheSeconds ?? 300) * 1_000
  const refetchMs = (options.refetchSeconds ?? 10) * 1_000
  const skew = options.skewSeconds ?? 60
  let keys: ReadonlyMap<string, DirectoryKey> = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let fault: unknown = null
  let running: Promise<void> | null = null

  const refetch = async () => {
    triedAt = now()
    try {
      keys = await fetchKeys(url)
      fetchedAt = triedAt
      fault = null
    } catch (error) {
      fault = error
    } finally {
      running = null
    }
  }
  const find = (keyId: string) => {
    const seconds = now() / 1_000
    const found = keys.get(keyId)
    return found !== undefined && found.nbf <= seconds + skew && found.exp >= seconds - skew
      ? found.key
      : null
  }

  return async keyId => {
    const isWanted = find(keyId) === null || now() - fetchedAt > cacheMs
    if (isWanted && (running !== null || now() - triedAt >= refetchMs)) {
      running ??= refetch()
      await running
    }
    const key = find(keyId)
    if (key !== null) return key
    if (fault !== null) {
      throw new Refusal('keys_unavailable', 'The keys of the gateway cannot be fetched.', { cause: fault })
    }
    throw new Refusal('unknown_key', 'The gateway does not publish this key.')
  }
}

async function fetchKeys(url: string): Promise<Map<string, DirectoryKey>> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(DIRECTORY_TIMEOUT_MS) })
  if (!response.ok) throw new Error(`The key directory answered ${response.status}.`)
  const text = await response.text()
  if (text.length > DIRECTORY_BYTES_MAX) throw new Error('The key directory is too large.')
  const { keys } = JSON.parse(text) as { keys: Record<string, unknown>[] }
  const read = new Map<string, DirectoryKey>()
  for (const { kty, crv, kid, x, nbf, exp } of keys.slice(0, DIRECTORY_KEYS_MAX)) {
    if (kty !== 'OKP' || crv !== 'Ed25519' || typeof kid !== 'string' || typeof x !== 'string') continue
    const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
    read.set(kid, {
      key,
      nbf: typeof nbf === 'number' ? nbf : Number.NEGATIVE_INFINITY,
      exp: typeof exp === 'number' ? exp : Number.POSITIVE_INFINITY,
    })
  }
  return read
}

/** Remembers what came until its signature has expired anyway. Full, it forgets the oldest first. */
function createReplayGuard(now: () => number): (name: string, until: number) => boolean {
  const seen = new Map<string, number>()
  return (name, until) => {
    for (const [oldest, end] of seen) {
      if (end >= now() && seen.size < REPLAYS_KEPT_MAX) break
      seen.delete(oldest)
    }
    if (seen.has(name)) return false
    seen.set(name, until)
    return true
  }
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // An iterator that ends early would else cut the line before the refusal is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Refusal('body_too_large', `The body is larger than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
