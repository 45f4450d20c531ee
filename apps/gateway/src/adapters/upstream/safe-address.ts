import ipaddr from 'ipaddr.js'

/**
 * Azure's wire server: a metadata service on an address that no registry marks as special. Those of other clouds
 * (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254) are in special ranges.
 */
const METADATA_OUTSIDE_SPECIAL_RANGES: ReadonlySet<string> = new Set(['168.63.129.16'])

/** IPv6 addresses in global use (RFC 4291, 2.4; IANA has assigned unicast from this block only). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Characters of RFC 3986: the URL parser would drop line breaks and map look-alike digits. */
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/

/** Settings that decide which targets are allowed. */
export type TargetPolicy = {
  readonly ALLOW_PRIVATE_TARGETS: boolean
  readonly ALLOW_HTTP_TARGETS: boolean
}

/** Why a target is refused. */
export type UnsafeReason =
  | 'malformed'
  | 'too_long'
  | 'scheme'
  | 'userinfo'
  | 'blocked_address'
  | 'unresolvable'

/**
 * Returns true for an address of the public internet. Excludes everything in the special-purpose registries: private,
 * loopback, link-local (metadata services), carrier NAT, multicast, unspecified, documentation, and forms that embed
 * another address (mapped, 6to4, NAT64, Teredo).
 *
 * @param address IPv4 or IPv6 as a socket writes it; a zone (`%eth0`) is allowed
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_UNICAST)
  return !METADATA_OUTSIDE_SPECIAL_RANGES.has(parsed.toString())
}

/**
 * Parses a target URL and checks its form, not where its host points.
 *
 * @returns the parsed URL, or why it is refused
 */
export function readTargetUrl(text: string, policy: TargetPolicy): URL | UnsafeReason {
  const url = PRINTABLE_ASCII.test(text) ? URL.parse(text) : null
  if (url === null) return 'malformed'
  const isSchemeTaken = url.protocol === 'https:' || (url.protocol === 'http:' && policy.ALLOW_HTTP_TARGETS)
  if (!isSchemeTaken) return 'scheme'
  if (url.username !== '' || url.password !== '') return 'userinfo'
  return url
}

/** Returns the host of a URL for a socket or a resolver: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  const { hostname } = url
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
