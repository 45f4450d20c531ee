import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { headerOf, type ReceivedHeaders } from '../headers.ts'
import { createKeyDirectory } from './key-directory.ts'
import { Refusal } from './refusal.ts'
import { createReplayGuard } from './replay-guard.ts'
import { readSignature, type Signed } from './signature.ts'

/** A signature is made for 300 seconds; one that claims more is refused. */
const LIFETIME_SECONDS_MAX = 300
/** Default of `skewSeconds`. */
const SKEW_SECONDS = 60
/** Default of `cacheSeconds`. */
const CACHE_SECONDS = 300
/** Default of `refetchSeconds`. */
const REFETCH_SECONDS = 10
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
   * two of them during a rotation. Default none: only Ed25519 is accepted.
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
  /** Largest body that a middleware reads, in bytes. Default 1 MiB. */
  readonly bodyBytesMax?: number
  /** Unix milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/** A request as it was received. */
export type ReceivedMessage = {
  readonly method: string
  /** Path with its query, unchanged. */
  readonly url: string
  readonly headers: ReceivedHeaders
  /** The bytes of the body, unparsed; empty without a body. */
  readonly body: Uint8Array
}

/** Who called, and for which of your services. Only an `invocation` is paid for: do no work for the others. */
export type Verified = {
  readonly keyId: string
  /** Null for a probe, a ping, or a count of tokens. */
  readonly invocationId: string | null
  readonly serviceId: string
  readonly purpose: Purpose
}

/**
 * Why the gateway sent a request: a paid call, a health probe, a probe that the provider asked for, or a request to count
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

/**
 * Creates a function that verifies one request: HTTP Message Signatures (RFC 9421), by Ed25519 or HMAC-SHA256, and the
 * digest of the body (RFC 9530).
 *
 * @returns a function that resolves to the caller, or rejects with a {@link Refusal}
 * @throws TypeError if a wallet or a secret is malformed
 */
export function createVerifier(options: VerifyOptions): (message: ReceivedMessage) => Promise<Verified> {
  const now = options.now ?? Date.now
  const skew = options.skewSeconds ?? SKEW_SECONDS
  const publicUrl = options.publicUrl.replace(/\/$/, '')
  const wallets = walletsOf(options.wallet)
  const matches = createCheck(options, now)
  const isFirst = createReplayGuard(now)

  return async message => {
    const signed = readSignature(message.headers)
    const invocationId = headerOf(message.headers, INVOCATION_ID)
    const targetUri = publicUrl + message.url
    assertCovered(signed, message, invocationId)

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
    if (!(await matches(bytes, signed))) {
      throw new Refusal('signature_invalid', 'The signature does not match this request.')
    }
    const { serviceId, purpose } = readAddressee(message.headers, wallets)
    if ((purpose === 'invocation') !== (invocationId !== null)) {
      throw new Refusal('signature_malformed', 'Only an invocation has an id, and each has one.')
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

function assertCovered({ components }: Signed, { body }: ReceivedMessage, invocationId: string | null): void {
  const needed = ['@method', '@target-uri', SERVICE_ID, PROVIDER, PURPOSE]
  if (body.length > 0) needed.push('content-digest')
  if (invocationId !== null) needed.push(INVOCATION_ID)
  const missing = needed.filter(name => !components.includes(name))
  if (missing.length > 0)
    throw new Refusal('not_covered', `The signature does not cover ${missing.join(', ')}.`)
}

/**
 * Returns a function that says whether a signature matches these bytes. Secrets are for HMAC only and published keys for
 * Ed25519 only: a published key id with the other algorithm is unknown.
 */
function createCheck(options: VerifyOptions, now: () => number) {
  const keyOf = createKeyDirectory({
    gatewayUrl: options.gatewayUrl,
    cacheSeconds: options.cacheSeconds ?? CACHE_SECONDS,
    refetchSeconds: options.refetchSeconds ?? REFETCH_SECONDS,
    skewSeconds: options.skewSeconds ?? SKEW_SECONDS,
    now,
  })
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
    if (base64 === undefined) throw new TypeError(`secrets: ${keyId} is no signing secret (sigsec_...).`)
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

/** Returns the service and purpose of a request with a valid signature; refuses one for another wallet. */
function readAddressee(headers: ReceivedHeaders, wallets: ReadonlySet<string>) {
  const purpose = headerOf(headers, PURPOSE)
  const provider = headerOf(headers, PROVIDER)?.toLowerCase()
  if (!isPurpose(purpose)) {
    throw new Refusal('signature_malformed', 'The signature is for an unknown purpose.')
  }
  if (provider === undefined || !wallets.has(provider)) {
    throw new Refusal('other_provider', 'The request is for a service of another wallet.')
  }
  return { serviceId: headerOf(headers, SERVICE_ID) ?? '', purpose } as const
}

/** Returns the value of a covered component (RFC 9421, 2). */
function componentOf(name: string, message: ReceivedMessage, targetUri: string): string {
  if (name === '@method') return message.method
  if (name === '@target-uri') return targetUri
  const value = name.startsWith('@') ? null : headerOf(message.headers, name)
  if (value === null)
    throw new Refusal('signature_malformed', `The signature covers ${name}, which is missing.`)
  return value
}

function assertDigest({ headers, body }: ReceivedMessage): void {
  const [, given] =
    /(?:^|,)[ \t]*sha-256=:([A-Za-z0-9+/=]+):/.exec(headerOf(headers, 'content-digest') ?? '') ?? []
  const actual = createHash('sha256').update(body).digest('base64')
  if (given !== actual) throw new Refusal('digest_mismatch', 'The body is not the one that was signed.')
}
