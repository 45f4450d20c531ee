/** Maximum number of placeholders in a target URL. */
const PLACEHOLDERS_MAX = 16

/** Scheme and authority, path, and what follows it. A backslash counts as a slash to URL parsers. */
const PARTS = /^(https?:\/\/[^/?#\\]+)([^?#]*)(.*)$/is
const PLACEHOLDER = /\{([A-Za-z_][\w-]{0,63})\}/g

/** Returns the names of the placeholders (`{name}`) in the path of a target URL, each once, in their order. */
export function placeholdersOf(url: string): readonly string[] {
  const [, , path = ''] = PARTS.exec(url) ?? []
  return [...new Set(Array.from(path.matchAll(PLACEHOLDER), ([, name = '']) => name))]
}

/** Returns why the braces of a target URL cannot work, or null. */
export function faultOfTemplate(url: string): string | null {
  if (!/[{}]/.test(url)) return null
  const [, origin = url, path = '', rest = ''] = PARTS.exec(url) ?? []
  if (/[{}]/.test(origin + rest)) {
    return 'Placeholders ({name}) stand in the path only. Parameters of the query are sent as payload.query; a brace that means itself is %7B or %7D.'
  }
  if (/[{}]/.test(path.replaceAll(PLACEHOLDER, ''))) {
    return 'A placeholder is {name}: a letter or _, then letters, digits, _ and -, at most 64. A brace that means itself is %7B or %7D.'
  }
  const isTooMany = placeholdersOf(url).length > PLACEHOLDERS_MAX
  return isTooMany ? `May hold ${PLACEHOLDERS_MAX} placeholders.` : null
}

/**
 * Returns a target URL with its placeholders filled.
 *
 * @param values by name, percent-encoded; a name that the URL lacks is ignored
 */
export function fillPath(url: string, values: ReadonlyMap<string, string>): string {
  if (values.size === 0) return url
  const [, origin = url, path = '', rest = ''] = PARTS.exec(url) ?? []
  return origin + path.replaceAll(PLACEHOLDER, (written, name: string) => values.get(name) ?? written) + rest
}

/** Returns a target URL up to its first placeholder; without one, the URL itself. */
export function beforePlaceholders(url: string): string {
  const [, origin = '', path = ''] = PARTS.exec(url) ?? []
  const at = path.search(PLACEHOLDER)
  return at === -1 ? url : origin + path.slice(0, at)
}
