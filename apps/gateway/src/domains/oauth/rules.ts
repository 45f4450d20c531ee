import { hash, timingSafeEqual } from 'node:crypto'

/** Path of the protected resource. */
export const RESOURCE_PATH = '/mcp'

/** A redirect URI on this machine (RFC 8252, 7.3), split before its port. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/
/**
 * Schemes that MCP clients have their system open them by (RFC 8252, 7.1). Others must be a domain in reverse: no scheme
 * that a browser handles itself has a full stop.
 */
const CLIENT_SCHEMES: ReadonlySet<string> = new Set([
  'claude:',
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'windsurf:',
])
/** Printable ASCII. Without backslashes, which browsers read as slashes. */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/
/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Returns why a redirect URI is refused by the gateway at `publicUrl`, or null. */
export function faultOfRedirectUri(uri: string, publicUrl: string): string | null {
  if (!PLAIN.test(uri) || !URL.canParse(uri)) return 'is not an absolute URL of printable ASCII characters'
  const { protocol, username, password } = new URL(uri)
  if (uri.includes('#')) return 'has a fragment'
  if (username !== '' || password !== '' || /^[a-z][a-z\d+.-]*:\/\/[^/?]*@/i.test(uri))
    return 'holds a user name'
  if (isAtGateway(uri, publicUrl)) return 'is at this gateway'
  if (protocol === 'https:' || isOfProgram(uri)) return null
  return 'is neither https, nor http on 127.0.0.1, [::1] or localhost, nor of the scheme of a known client or a domain in reverse'
}

/**
 * Returns true if a redirect URI is at the host of the gateway, whose paid resources would forward the code to their
 * providers. On a loopback address, which programs share, the port tells them apart.
 */
export function isAtGateway(uri: string, publicUrl: string): boolean {
  const [asked, own] = [new URL(uri), new URL(publicUrl)]
  if (isLoopback(uri)) return isLoopback(publicUrl) && asked.port === own.port
  return hostOf(asked) === hostOf(own)
}

/** Returns the host name of a URL without the final dot of the DNS root. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '')

function isLoopback(uri: string): boolean {
  return LOOPBACK.test(uri)
}

/** Returns true for a redirect URI of a program on the user's own machine. */
export function isOfProgram(uri: string): boolean {
  return isLoopback(uri) || hasOwnScheme(uri)
}

function hasOwnScheme(uri: string): boolean {
  const { protocol } = new URL(uri)
  return CLIENT_SCHEMES.has(protocol) || protocol.includes('.')
}

/**
 * Returns true if a client with the one redirect URI may request the other: equal, except for the port of a loopback
 * address, which programs choose at start (RFC 8252, 7.3).
 */
export function mayRedirect(registered: string, asked: string): boolean {
  if (registered === asked) return true
  const known = LOOPBACK.exec(registered)
  const given = LOOPBACK.exec(asked)
  if (known === null || given === null || !URL.canParse(asked)) return false
  return known[1] === given[1] && known[2] === given[2]
}

/** Returns the requested resource; null if it is not one of this gateway. */
export function resourceOf(publicUrl: string, asked: string | undefined): string | null {
  if (asked === undefined) return publicUrl + RESOURCE_PATH
  const wanted = asked.replace(/\/$/, '')
  return [publicUrl + RESOURCE_PATH, publicUrl].find(own => own === wanted) ?? null
}

/** Returns true for a code challenge of the method S256. */
export function isChallenge(text: string | undefined): text is string {
  return text !== undefined && CHALLENGE.test(text)
}

/** Returns true if a verifier matches a challenge (RFC 7636, 4.6). */
export function isVerified(challenge: string, verifier: string): boolean {
  if (!VERIFIER.test(verifier) || !CHALLENGE.test(challenge)) return false
  return timingSafeEqual(hash('sha256', verifier, 'buffer'), Buffer.from(challenge, 'base64url'))
}

/** Returns a redirect URI with parameters after its own; those without a value are left out. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.append(name, value)
  }
  return url.href
}

/** Returns a text that is valid as `error_description` (RFC 6749, 5.2). */
export function asDescription(text: string): string {
  return text.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?')
}
