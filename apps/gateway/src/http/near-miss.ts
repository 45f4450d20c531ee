/** Segments that clients duplicate or omit: parts of base URLs. */
const PREFIXES: ReadonlySet<string> = new Set(['api', 'v1', 'openai', 'anthropic'])
const MODELS = '/v1'
const BASES = [MODELS, '/api/v1', ''] as const
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
  const all = path.split('/').filter(segment => segment !== '')
  const end = endpointIn(all, served)
  const segments = all.slice(end)
  const start = segments.findIndex(segment => !PREFIXES.has(segment.toLowerCase()))
  if (start === -1) return null
  const rest = segments.slice(start).join('/')
  // The gateway's own API first if it was requested: some of its paths also exist in model APIs.
  const bases = end > 0 ? [MODELS] : segments[0] === 'api' ? [BASES[1], MODELS, BASES[2]] : BASES
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

/** Returns the number of segments of the model API's endpoint that a path begins with; 0 if it begins with none. */
function endpointIn(segments: readonly string[], served: (path: string) => boolean): number {
  if (`/${segments[0]}` !== MODELS) return 0
  const end = segments.findIndex((_, index) => index > 1 && served(`/${segments.slice(0, index).join('/')}`))
  return Math.max(end, 0)
}
