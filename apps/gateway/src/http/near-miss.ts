/** Segments that clients duplicate or omit: parts of base URLs. */
const PREFIXES: ReadonlySet<string> = new Set(['api', 'v1', 'openai', 'anthropic'])
const BASES = ['/v1', '/api/v1', ''] as const
/** Paths that clients of Anthropic's API append to the base URL, `/v1` included. */
const WITH_VERSION = /^\/v1\/messages(\/|$)/

/** A served path that was probably meant, and the base URL for it. */
export type NearMiss = { readonly path: string; readonly baseUrl: string }

/**
 * Returns the served path that was probably meant if only the client's base URL is wrong; null otherwise.
 *
 * @param path   without its query
 * @param served returns true if a path is served, by any method
 * @param origin of this gateway, without a trailing slash
 */
export function nearMissOf(path: string, served: (path: string) => boolean, origin: string): NearMiss | null {
  const segments = path.split('/').filter(segment => segment !== '')
  const start = segments.findIndex(segment => !PREFIXES.has(segment.toLowerCase()))
  if (start === -1) return null
  const rest = segments.slice(start).join('/')
  // The gateway's own API first if it was requested: some of its paths also exist in model APIs.
  const bases = segments[0] === 'api' ? [BASES[1], BASES[0], BASES[2]] : BASES
  for (const base of bases) {
    const meant = `${base}/${rest}`
    if (meant !== path && served(meant)) {
      // Clients of the gateway's own API append `/api/v1` as well.
      const appendsBase = WITH_VERSION.test(meant) || (base === BASES[1] && path.endsWith(meant))
      return { path: meant, baseUrl: `${origin}${appendsBase ? '' : base}` }
    }
  }
  return null
}
