import { isIP } from 'node:net'
import { GatewayError } from '@farebox/wire/errors'
import { LRUCache } from 'lru-cache'
import { Agent } from 'undici'
import { createOwnerPlaces, type OwnerPlaces } from '../../runtime/owner-places.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import type {
  SignMessage,
  Upstream,
  UpstreamAnswer,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamStream,
} from '../../upstream-ports.ts'
import {
  hostOf,
  isPublicAddress,
  readTargetUrl,
  type TargetPolicy,
  type UnsafeReason,
} from './safe-address.ts'
import { createConnector, createLookup, type Lookup, lookupBySystem } from './upstream-connector.ts'
import { StoppingError, UpstreamExchange } from './upstream-exchange.ts'

/**
 * Maximum calls to one origin, each on a connection of its own: one slow provider must not fill memory. None waits for
 * another's connection, and one owner gets at most half of them: calls that hang must not keep others or probes away.
 */
const CALLS_PER_ORIGIN_MAX = 4_096
const CALLS_PER_ORIGIN = { perOwner: CALLS_PER_ORIGIN_MAX, all: CALLS_PER_ORIGIN_MAX }
/** Maximum origins with open connections. */
const ORIGINS_MAX = 10_000
/**
 * Idle timeout of a connection, in ms: shorter than that of common servers (5 s), since a call sent into a closing
 * connection is lost.
 */
const IDLE_TIMEOUT_MS = 4_000
/** Maximum idle timeout that a server may request by `Keep-Alive`, in ms. */
const IDLE_TIMEOUT_ASKED_MAX_MS = 60_000
/** Maximum size of an answer's headers, in bytes. */
const RESPONSE_HEADER_BYTES_MAX = 32_768
/** Maximum length of a target URL at registration, in characters. */
const TARGET_URL_LENGTH_MAX = 2_048
/** Maximum length of a refused URL in an error, in characters. */
const URL_SHOWN_MAX = 200
/** Maximum cached target URLs, parsed. */
const TARGETS_KEPT_MAX = 2_000
/**
 * Names resolved at once for registrations, of all owners and of one. Each has two sockets, which calls, database and
 * listeners need too, and any wallet may name as many that get no answer as it likes.
 */
const NAMES_AT_ONCE = { all: 256, perOwner: 64 }

/** Destination of a request. */
type RequestTarget = { readonly origin: string; readonly path: string }

/** An {@link Upstream} whose connections can be closed. */
export type ClosableUpstream = Upstream & { close(): Promise<void> }

/**
 * Sends requests to providers: HTTP/1.1 over persistent connections, to checked addresses only (upstream-connector.ts).
 * Does not follow redirects or decode answers; every wait is bounded.
 *
 * @param policy         `ALLOW_PRIVATE_TARGETS`, `ALLOW_HTTP_TARGETS`
 * @param options.lookup resolver; default: the system's name servers, with private targets all that the system knows
 * @param options.sign   signs each request; absent: unsigned
 */
export function createUpstream(
  policy: TargetPolicy,
  options: { lookup?: Lookup; sign?: SignMessage } = {},
): ClosableUpstream {
  const lookup = options.lookup ?? (policy.ALLOW_PRIVATE_TARGETS ? lookupBySystem : createLookup())
  const resolve = createResolver(lookup)
  const agent = createAgent(lookup, policy)
  const placesByOrigin = new Map<string, OwnerPlaces>()
  // Few URLs are called repeatedly; those with a query vary by call.
  const targets = new LRUCache<string, RequestTarget>({ max: TARGETS_KEPT_MAX })

  /** Parses the URL of a request; returns null if it may not be called. */
  const targetOf = (text: string): RequestTarget | null => {
    const known = targets.get(text)
    if (known !== undefined) return known
    const url = readTargetUrl(text, policy)
    if (typeof url === 'string') return null
    const target = { origin: url.origin, path: url.pathname + url.search }
    if (url.search === '') targets.set(text, target)
    return target
  }

  const dispatch = (
    request: UpstreamRequest,
    onStream: ((stream: UpstreamStream) => void) | null,
  ): Promise<UpstreamAnswer> => {
    const target = targetOf(request.url)
    if (target === null) return refused('blocked_address')
    const { origin, path } = target
    const places = placesByOrigin.get(origin) ?? createOwnerPlaces(CALLS_PER_ORIGIN)
    placesByOrigin.set(origin, places)
    const leave = places.take(request.owner ?? '')
    if (typeof leave !== 'function') return refused('connect', { isCrowded: true })
    const { method, body } = request
    const secret = request.signingSecret ?? null
    const message = { method, targetUri: origin + path, headers: request.headers, body, secret }
    const signature = request.isUnsigned === true ? [] : options.sign?.(message)
    const headers = headersOf(request, signature ?? [])

    const exchange = new UpstreamExchange(request, {
      stream: onStream,
      closed() {
        leave()
        if (places.size() === 0) placesByOrigin.delete(origin)
      },
    })
    agent.dispatch({ origin, path, method, body, headers }, exchange)
    return exchange.outcome
  }

  return {
    send: request => dispatch(request, null),
    open: request => new Promise(done => void dispatch(request, done).then(done)),

    async assertSafeTarget(text, owner) {
      const url = text.length > TARGET_URL_LENGTH_MAX ? 'too_long' : readTargetUrl(text, policy)
      if (typeof url === 'string') throw unsafe(text, url)
      if (policy.ALLOW_PRIVATE_TARGETS) return
      const host = hostOf(url)
      const addresses = isIP(host) !== 0 ? [host] : await resolve(host, owner)
      if (addresses.length === 0) throw unsafe(text, 'unresolvable')
      if (!addresses.every(isPublicAddress)) throw unsafe(text, 'blocked_address')
    },

    close: () => agent.destroy(new StoppingError()),
  }
}

function createAgent(lookup: Lookup, policy: TargetPolicy): Agent {
  return new Agent({
    connect: createConnector(lookup, policy.ALLOW_PRIVATE_TARGETS),
    allowH2: false,
    pipelining: 1,
    connections: CALLS_PER_ORIGIN_MAX,
    maxOrigins: ORIGINS_MAX,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_ASKED_MAX_MS,
    maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
    // The deadline of the exchange is the effective one.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Headers in undici's flat form. Never requests an encoded answer: its true size cannot be bounded. */
function headersOf({ headers }: UpstreamRequest, signature: readonly string[]): string[] {
  const flat = ['accept-encoding', 'identity', ...signature]
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && name.toLowerCase() !== 'accept-encoding') flat.push(name, value)
  }
  return flat
}

function refused(
  reason: UpstreamFailure['reason'],
  why: Pick<UpstreamFailure, 'isCrowded'> = {},
): Promise<{ failure: UpstreamFailure }> {
  return Promise.resolve({ failure: { reason, sent: false, answered: false, ...why } })
}

/**
 * Creates a function that returns all addresses of a name; none if it does not resolve. It bounds names at once, fairly
 * between owners.
 *
 * @throws GatewayError UNAVAILABLE, from that function, beyond {@link NAMES_AT_ONCE}
 */
function createResolver(lookup: Lookup): (name: string, owner: string) => Promise<string[]> {
  const places = createOwnerPlaces(NAMES_AT_ONCE)
  return async (name, owner) => {
    const leave = places.take(owner)
    if (typeof leave !== 'function') {
      const message = 'Too many host names are being looked up. Send the request again.'
      throw new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS.busy })
    }
    return new Promise(done =>
      lookup(name, (error, addresses) => {
        leave()
        done(error === null ? addresses.map(({ address }) => address) : [])
      }),
    )
  }
}

const explanations: Readonly<Record<UnsafeReason, string>> = {
  malformed: 'It is not an absolute URL.',
  too_long: 'It is too long.',
  scheme: 'Use https://.',
  userinfo:
    'It contains a user name or password: leave them out. A service sends credentials by upstreamHeaders.',
  blocked_address: 'Its host is not on the public internet.',
  unresolvable: 'Its host does not resolve.',
}

function unsafe(url: string, reason: UnsafeReason): GatewayError {
  const message = `The target URL is not allowed. ${explanations[reason]}`
  const shown = url.slice(0, URL_SHOWN_MAX).replace(/\/\/[^/]*@/, '//')
  return new GatewayError('UNSAFE_TARGET_URL', { reason, url: shown }, { message })
}
