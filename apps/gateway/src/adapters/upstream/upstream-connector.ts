import { type LookupAddress, type LookupOptions, promises, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { passOverInterimAnswers } from './interim-answers.ts'
import { isPublicAddress } from './safe-address.ts'

/** Timeout for name, connection and TLS together, in ms. */
const CONNECT_TIMEOUT_MS = 10_000
/** Wait for a name server, in ms, which doubles with each attempt, and attempts. */
const NAME_SERVER_WAIT = { timeout: 1_500, tries: 3 }
/** Timeout for a name, in ms: until then it has two sockets. */
const LOOKUP_TIMEOUT_MS = 5_000
/** Names that no server is asked for (RFC 6761, 6.3). */
const LOCALHOST = /(?:^|\.)localhost\.?$/i
/** TLS sessions kept for resumption. */
const TLS_SESSIONS_MAX = 1_000

/** Resolves a name to all its addresses. */
export type Lookup = (name: string, answer: (error: Error | null, addresses: LookupAddress[]) => void) => void

/** A connection refused because of its address. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError'
}

/**
 * Creates a resolver that asks the system's name servers itself. Names of strangers wait for one another in that of the
 * operating system, which resolves two at a time for the whole process, each for up to ten seconds or more.
 *
 * @param servers addresses of other name servers
 */
export function createLookup(servers?: readonly string[]): Lookup {
  const found = (addresses: readonly string[], family: 4 | 6) =>
    addresses.map(address => ({ address, family }))
  return (name, answer) => {
    if (LOCALHOST.test(name)) return answer(null, found(['127.0.0.1'], 4))
    // It reads the system's settings when it is made, and those may change. Connections are reused, so lookups are rare.
    const resolver = new promises.Resolver(NAME_SERVER_WAIT)
    if (servers !== undefined) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), LOOKUP_TIMEOUT_MS)
    const asked = [
      resolver.resolve4(name).then(addresses => found(addresses, 4)),
      resolver.resolve6(name).then(addresses => found(addresses, 6)),
    ]
    // One is enough: many servers know addresses of one family only.
    void Promise.allSettled(asked).then(ends => {
      clearTimeout(timer)
      const addresses = ends.flatMap(end => (end.status === 'fulfilled' ? end.value : []))
      answer(addresses.length > 0 ? null : new Error(`The name ${name} has no address.`), addresses)
    })
  }
}

/** Resolver of the operating system, which also knows names of the local network. */
export const lookupBySystem: Lookup = (name, answer) =>
  systemLookup(name, { all: true, verbatim: true }, (error, addresses) => answer(error, addresses ?? []))

/**
 * Connects to public addresses only. A name is resolved here, all its addresses are checked, and the socket gets
 * exactly those, so a later change of the name has no effect. A host that is an address never reaches a resolver, so it
 * is checked separately; the peer of the open socket is checked once more.
 */
export function createConnector(lookup: Lookup, allowPrivate: boolean): buildConnector.connector {
  const base = buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    maxCachedSessions: TLS_SESSIONS_MAX,
    lookup: checkedLookup(lookup, allowPrivate),
  })
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address)
  return (options, callback) => {
    if (isIP(options.hostname) !== 0 && !isAllowed(options.hostname)) {
      return callback(new BlockedAddressError(), null)
    }
    base(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      if (isAllowed(socket.remoteAddress ?? '')) return callback(null, passOverInterimAnswers(socket))
      socket.destroy()
      callback(new BlockedAddressError(), null)
    })
  }
}

function checkedLookup(lookup: Lookup, allowPrivate: boolean): LookupFunction {
  return (name, options: LookupOptions, answer) => {
    lookup(name, (error, addresses) => {
      if (error !== null) return answer(error, '')
      const [first] = addresses
      if (first === undefined) return answer(new Error('The host name has no addresses.'), '')
      const isBlocked = !allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))
      if (isBlocked) return answer(new BlockedAddressError(), '')
      if (options.all === true) return answer(null, addresses)
      answer(null, first.address, first.family)
    })
  }
}
