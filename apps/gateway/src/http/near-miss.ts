/** Segments that clients put before a path once too often, or leave out: parts of base URLs. */
const PREFIXES: ReadonlySet<string> = new Set(['api', 'v1', 'openai', 'anthropic'])
const BASES = ['/v1', '/api/v1', ''] as const
/** Paths that clients of Anthropic's API add to the origin by themselves, `/v1` included. */
const WITH_VERSION = /^\/v1\/messages(\/|$)/

/** A path that is served and was probably meant, and the base URL by which a client reaches it. */
export type NearMiss = { readonly path: string; readonly baseUrl: string }

/**
 * Returns what was probably meant by a path that nobody serves, when only the base URL of the client is wrong; null
 * when that is not the mistake.
 *
 * @param path   without its query
 * @param served whether a path is served, by whatever method
 * @param origin of this gateway, without a trailing slash
 */
export function nearMissOf(path: string, served: (path: string) => boolean, origin: string): NearMiss | null {
  const segments = path.split('/').filter(segment => segment !== '')
  const start = segments.findIndex(segment => !PREFIXES.has(segment.toLowerCase()))
  if (start === -1) return null
  const rest = segments.slice(start).join('/')
  // The gateway's own API first where that was asked for: some of its paths are those of models, too.
  const bases = segments[0] === 'api' ? [BASES[1], BASES[0], BASES[2]] : BASES
  for (const base of bases) {
    const meant = `${base}/${rest}`
    if (meant !== path && served(meant)) {
      return { path: meant, baseUrl: `${origin}${WITH_VERSION.test(meant) ? '' : base}` }
    }
  }
  return null
}
